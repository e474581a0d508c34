import { type AttemptOutcome, noTimings, type PostResult } from '#shared/domain/attempt.ts';
import { readingLasts } from '#shared/domain/endpoint.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import type { PostEvent } from '#shared/operations/ports.ts';
import type { Host, Invocation } from './invocation.ts';
import type { Journal } from './journal.ts';
import type { Random } from './random.ts';
import type { Answer, Script } from './script.ts';

type Request = Parameters<PostEvent>[0];

/** Receivers by the number in their URL; each uses its list of answers in turn. */
export class Receivers {
  readonly #script: Script;
  readonly #answered = new Map<string, number>();
  #urls = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  /** A URL that no endpoint has yet. */
  newUrl(): string {
    this.#urls += 1;
    return `https://receiver-${this.#urls}.example.com/`;
  }

  nextAnswer({ url, body }: Request): Answer {
    const number = Number(/\d+/.exec(url)?.[0]);
    const isHandshake = new TextDecoder().decode(body).includes('"type":"webhook.test"');
    const { handshakes, receivers } = this.#script;
    const answers = isHandshake ? handshakes : (receivers[number % receivers.length] ?? []);
    const counter = isHandshake ? 'handshakes' : url;
    const before = this.#answered.get(counter) ?? 0;
    this.#answered.set(counter, before + 1);
    return answers[before % answers.length] ?? 'ok';
  }
}

/** What is outside, and what happens there. */
export type Outside = Host & { readonly receivers: Receivers; readonly journal: Journal };

/**
 * The outbound POST: resolves and connects, asks for the headers, sends, and waits for the head, all within ten seconds.
 * Time passes in each of these steps.
 */
export function postEvent(world: Outside, invocation: Invocation): PostEvent {
  const { timeline, random, faults, receivers, journal } = world;
  const until = (time: number): Promise<void> => invocation.wait(Math.max(0, time - timeline.now));
  return async (request) => {
    const answer = receivers.nextAnswer(request);
    const fault = faults.next('post');
    invocation.trace(`connect (${answer})`, fault);
    const calledAt = timeline.now;
    const travel = fault === 'slow_network' ? random.between(1_000, 9_000) : distance(random);
    const connected = random.oneIn(2) ? 0 : random.below(travel);
    const failed = connectionFailure(world, answer, travel);
    await until(calledAt + (failed?.after ?? connected));
    if (failed !== null) return toResult(failed);
    const headers = await request.headers();
    if (typeof headers === 'string') return headers;
    if (fault === 'crash_before_post') {
      invocation.crash();
      return forever;
    }
    const beganAt = timeline.now;
    if (beganAt - calledAt > attemptTimeout) {
      const isOurs = beganAt - calledAt - connected > readingLasts;
      return isOurs ? 'endpoint_unread' : toResult(timedOut);
    }
    invocation.trace('post');
    const left = travel - connected;
    const plan = withinDeadline(headOf(answer, beganAt - calledAt + left, random));
    timeline.after(left, () => {
      // A request that was sent before the function died may still arrive.
      if (!invocation.alive && random.oneIn(2)) return;
      const { url } = request;
      const body = new TextDecoder().decode(request.body);
      const acknowledged = plan.outcome === 'acknowledged';
      journal.posts.push({ at: timeline.now, beganAt, invocation, url, headers, body, acknowledged });
      if (fault === 'crash_during_post') invocation.crash();
    });
    await until(calledAt + plan.after);
    return toResult(plan);
  };
}

/** Mostly short; connecting to a distant receiver takes longer than a reading of its endpoint lasts. */
function distance(random: Random): number {
  return random.oneIn(6) ? random.between(500, 2_000) : random.between(1, 300);
}

/** What a dead function waits for. */
const forever = new Promise<never>(() => {});

type Plan = {
  readonly after: number;
  readonly outcome: Exclude<AttemptOutcome, 'interrupted'>;
  readonly status: number | null;
};

function connectionFailure(world: Host, answer: Answer, after: number): Plan | null {
  if (answer === 'no_such_host' || world.isDown('dns')) return { after, outcome: 'dns_failed', status: null };
  return answer === 'refused' ? { after, outcome: 'connection_failed', status: null } : null;
}

/** The status of each response, or `null` for none, and the milliseconds that it takes; at most 500 unless given. */
const heads: Readonly<Record<Answer, readonly [status: number | null, takes?: (random: Random) => number]>> =
  {
    ok: [200],
    ok_slow: [200, (random) => random.between(8_000, 9_500)],
    ok_after_a_second: [200, (random) => random.between(900, 1_400)],
    ok_too_late: [200, () => attemptTimeout + 200],
    no_content: [204],
    error: [500],
    redirect: [302],
    hang: [null, () => Number.POSITIVE_INFINITY],
    reset: [null],
    refused: [null],
    no_such_host: [null],
  };

/** When the head of the response arrives, without regard to the deadline of the function. */
function headOf(answer: Answer, travel: number, random: Random): Plan {
  const soon = random.between(1, 500);
  const [status, takes = () => soon] = heads[answer];
  const outcome = status === null ? 'connection_failed' : answered(status);
  return { after: travel + takes(random), outcome, status };
}

const answered = (status: number) => (status < 300 ? 'acknowledged' : 'rejected');

const timedOut: Plan = { after: attemptTimeout, outcome: 'timed_out', status: null };

function withinDeadline(plan: Plan): Plan {
  return plan.after > attemptTimeout ? timedOut : plan;
}

function toResult({ after, outcome, status }: Plan): PostResult {
  const error = outcome === 'acknowledged' ? null : `The attempt failed: ${outcome}`;
  return { outcome, responseStatus: status, error, durationMs: after, timings: noTimings };
}
