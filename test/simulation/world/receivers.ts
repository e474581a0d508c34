import { type AttemptOutcome, noTimings, type PostResult } from '../../../shared/domain/attempt.ts';
import { attemptTimeout } from '../../../shared/domain/retry-plan.ts';
import type { PostEvent } from '../../../shared/operations/ports.ts';
import type { Host, Invocation } from './invocation.ts';
import type { Post } from './journal.ts';
import type { Random } from './random.ts';
import type { Answer, Script } from './script.ts';

type Request = Parameters<PostEvent>[0];

/** Receivers by the number in their URL; each goes through its own answers in turn. */
export class Receivers {
  readonly #script: Script;
  readonly #answered = new Map<string, number>();
  #urls = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  /** A URL that nobody has yet. */
  newUrl(): string {
    this.#urls += 1;
    return `https://receiver-${this.#urls}.example.com/`;
  }

  nextAnswer({ url, headers }: Request): Answer {
    const number = Number(/\d+/.exec(url)?.[0]);
    const isHandshake = headers['X-Service-Event-Type'] === 'webhook.test';
    const { handshakes, receivers } = this.#script;
    const answers = isHandshake ? handshakes : (receivers[number % receivers.length] ?? []);
    const counter = isHandshake ? 'handshakes' : url;
    const before = this.#answered.get(counter) ?? 0;
    this.#answered.set(counter, before + 1);
    return answers[before % answers.length] ?? 'ok';
  }
}

/** The outbound POST: resolves, connects, sends, waits for the head, all within ten seconds. */
export function postEvent(
  host: Host,
  invocation: Invocation,
  receivers: Receivers,
  onPost: (post: Post) => void,
): PostEvent {
  return (request) =>
    new Promise((resolve) => {
      if (!invocation.alive) return;
      const { timeline, random, faults } = host;
      const answer = receivers.nextAnswer(request);
      const fault = faults.next('post');
      invocation.trace(`post (${answer})`, fault);
      if (fault === 'crash_before_post') {
        invocation.crash();
        return;
      }
      const calledAt = timeline.now;
      const end = (plan: Plan): void =>
        timeline.at(calledAt + plan.after, () => {
          if (invocation.alive) resolve(toResult(plan));
        });
      const travel = fault === 'slow_network' ? random.between(1_000, 9_000) : random.between(1, 300);
      const failed = connectionFailure(host, answer, travel);
      if (failed !== null) {
        end(failed);
        return;
      }
      timeline.after(travel, () => {
        // What was on its way when its sender died may still arrive.
        if (!invocation.alive && random.oneIn(2)) return;
        const plan = withinDeadline(headOf(answer, travel, random));
        const { url, headers } = request;
        const body = new TextDecoder().decode(request.body);
        const acknowledged = plan.outcome === 'acknowledged';
        onPost({ at: timeline.now, calledAt, invocation, url, headers, body, acknowledged });
        if (fault === 'crash_during_post') invocation.crash();
        end(plan);
      });
    });
}

type Plan = {
  readonly after: number;
  readonly outcome: Exclude<AttemptOutcome, 'interrupted'>;
  readonly status: number | null;
};

function connectionFailure(host: Host, answer: Answer, after: number): Plan | null {
  if (answer === 'no_such_host' || host.isDown('dns')) return { after, outcome: 'dns_failed', status: null };
  return answer === 'refused' ? { after, outcome: 'connection_failed', status: null } : null;
}

/** When the head of the response is there, as if the function waited for ever. */
function headOf(answer: Answer, travel: number, random: Random): Plan {
  const soon = travel + random.between(1, 500);
  switch (answer) {
    case 'ok':
      return { after: soon, outcome: 'acknowledged', status: 200 };
    case 'no_content':
      return { after: soon, outcome: 'acknowledged', status: 204 };
    case 'ok_slow':
      return { after: travel + random.between(8_000, 9_500), outcome: 'acknowledged', status: 200 };
    case 'ok_too_late':
      return { after: travel + attemptTimeout + 200, outcome: 'acknowledged', status: 200 };
    case 'redirect':
      return { after: soon, outcome: 'rejected', status: 302 };
    case 'reset':
      return { after: soon, outcome: 'connection_failed', status: null };
    case 'hang':
      return { after: Number.POSITIVE_INFINITY, outcome: 'timed_out', status: null };
    default:
      return { after: soon, outcome: 'rejected', status: 500 };
  }
}

function withinDeadline(plan: Plan): Plan {
  const isLate = plan.after > attemptTimeout;
  return isLate ? { after: attemptTimeout, outcome: 'timed_out', status: null } : plan;
}

function toResult({ after, outcome, status }: Plan): PostResult {
  const error = outcome === 'acknowledged' ? null : `The attempt failed: ${outcome}`;
  return { outcome, responseStatus: status, error, durationMs: after, timings: noTimings };
}
