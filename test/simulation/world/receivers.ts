import { type AttemptOutcome, noTimings, type Withdrawal } from '#shared/domain/attempt.ts';
import { readingLasts } from '#shared/domain/endpoint.ts';
import { slowAfter } from '#shared/domain/lane.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import type { Headers, PostEvent, Posted } from '#shared/operations/ports.ts';
import type { FaultOf } from './faults.ts';
import type { Host, Invocation } from './invocation.ts';
import type { Journal, Post } from './journal.ts';
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
 * Time passes in each of these steps. If its kept connection ends, it connects and sends once more.
 */
export function postEvent(world: Outside, invocation: Invocation): PostEvent {
  return (request) => new OnePost(world, invocation, request).run();
}

class OnePost {
  readonly #world: Outside;
  readonly #invocation: Invocation;
  readonly #request: Request;
  readonly #answer: Answer;
  readonly #fault: FaultOf<'post'> | null;
  readonly #calledAt: number;
  readonly #travel: number;

  constructor(world: Outside, invocation: Invocation, request: Request) {
    this.#world = world;
    this.#invocation = invocation;
    this.#request = request;
    this.#answer = world.receivers.nextAnswer(request);
    this.#fault = world.faults.next('post');
    this.#calledAt = world.timeline.now;
    const { random } = world;
    this.#travel = this.#fault === 'slow_network' ? random.between(1_000, 9_000) : distance(random);
    invocation.trace(`connect (${this.#answer})`, this.#fault);
  }

  async run(): Promise<Posted | Withdrawal> {
    const { requestsOnKept = 1 } = this.#world.options;
    for (let sent = 0; sent < requestsOnKept; sent += 1) {
      const first = await this.#send(true);
      if (first !== 'lost') return first;
    }
    const again = await this.#send(false);
    return typeof again === 'string' ? this.#end(lost(this.#passed)) : again;
  }

  /** Milliseconds since the attempt began. */
  get #passed(): number {
    return this.#world.timeline.now - this.#calledAt;
  }

  async #send(mayBeLost: boolean): Promise<Posted | Withdrawal | 'lost'> {
    const { timeline, random, journal } = this.#world;
    const travel = this.#travel;
    const askedAt = this.#passed;
    const connected = random.oneIn(2) ? 0 : random.below(travel);
    const withdrawal = (await this.#request.mayConnect?.()) ?? null;
    if (withdrawal !== null) return withdrawal;
    const beganToConnect = this.#passed;
    if (beganToConnect > attemptTimeout) return this.#tooLate(beganToConnect - askedAt);
    journal.connections.push({ at: timeline.now, url: this.#request.url });
    const failed = connectionFailure(this.#world, this.#answer, beganToConnect + travel);
    const isConnectedAfter = failed?.after ?? beganToConnect + connected;
    this.#watch(beganToConnect, isConnectedAfter);
    await this.#until(isConnectedAfter);
    if (failed !== null) return this.#end(failed);
    const headers = await this.#request.headers();
    if (typeof headers === 'string') return headers;
    if (this.#fault === 'crash_before_post') {
      this.#invocation.crash();
      return forever;
    }
    const beganAt = timeline.now;
    const began = this.#passed;
    if (began > attemptTimeout) return this.#tooLate(began - isConnectedAfter);
    this.#invocation.trace('post');
    const left = travel - connected;
    if (mayBeLost && this.#fault === 'kept_connection_ends') {
      this.#arrive(beganAt, left, headers, 'lost');
      await this.#until(began + 2 * left);
      return 'lost';
    }
    const plan = withinDeadline(this.#planFor(began + left));
    this.#arrive(beganAt, left, headers, plan.outcome === 'acknowledged' ? 'acknowledged' : 'other');
    const ended = this.#awaitEnd(plan, began);
    await this.#until(plan.after);
    return toPosted(plan, ended);
  }

  /** The receiver was too slow only if the attempt had less time left than a question may take. */
  #tooLate(questionTook: number): Posted | 'endpoint_unread' {
    return questionTook > readingLasts ? 'endpoint_unread' : this.#end(timedOut);
  }

  /** @param arrives milliseconds since the attempt began */
  #planFor(arrives: number): Plan {
    const { options, random } = this.#world;
    if (options.answerAt === undefined) return headOf(this.#answer, arrives, random);
    const answeredAt = options.answerAt(this.#calledAt + arrives);
    return { after: answeredAt - this.#calledAt, outcome: 'acknowledged', status: 200 };
  }

  /** The request reaches the receiver, unless the function dies first. */
  #arrive(beganAt: number, left: number, headers: Headers, end: Post['end']): void {
    const { timeline, random, journal } = this.#world;
    const invocation = this.#invocation;
    const { url, body } = this.#request;
    timeline.after(left, () => {
      // A request that was sent before the function died may still arrive.
      if (!invocation.alive && random.oneIn(2)) return;
      const text = new TextDecoder().decode(body);
      journal.posts.push({ at: timeline.now, beganAt, invocation, url, headers, body: text, end });
      if (this.#fault === 'crash_during_post') invocation.crash();
    });
  }

  /** The response goes on after its head, for as long as the attempt may take. */
  async #awaitEnd({ after }: Plan, began: number): Promise<number> {
    const { random, timeline, journal } = this.#world;
    const goesOn = this.#answer === 'ok_held_open' ? random.between(500, 15_000) : 0;
    const endsAfter = Math.max(after, Math.min(after + goesOn, attemptTimeout));
    this.#watch(began, endsAfter);
    await this.#until(endsAfter);
    const milliseconds = endsAfter - began;
    const { webhookId } = this.#request;
    const endedAt = timeline.now;
    journal.waits.push({
      invocation: this.#invocation,
      webhookId,
      endedAt,
      milliseconds,
      isForResponse: true,
    });
    return milliseconds;
  }

  /** Tells that the receiver is slow if it takes longer than this is. Both are milliseconds since the attempt began. */
  #watch(from: number, until: number): void {
    if (until - from <= slowAfter) return;
    this.#invocation.after(from + slowAfter - this.#passed, () => this.#request.onSlow?.());
  }

  #until(passed: number): Promise<void> {
    return this.#invocation.wait(Math.max(0, passed - this.#passed));
  }

  /** The time of a name server is not that of the receiver. */
  #end(plan: Plan): Posted {
    const milliseconds = plan.outcome === 'dns_failed' ? 0 : plan.after;
    const { webhookId } = this.#request;
    const wait = { invocation: this.#invocation, webhookId, milliseconds, isForResponse: false };
    this.#world.journal.waits.push({ ...wait, endedAt: this.#world.timeline.now });
    return toPosted(plan, Promise.resolve(milliseconds));
  }
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
const heads: Readonly<Record<Answer, readonly [status: number | null, takes?: (random: Random) => number]>> = {
  ok: [200],
  ok_slow: [200, (random) => random.between(8_000, 9_500)],
  ok_after_a_second: [200, (random) => random.between(900, 1_400)],
  ok_too_late: [200, () => attemptTimeout + 200],
  ok_held_open: [200],
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

const lost = (after: number): Plan => ({ after, outcome: 'connection_failed', status: null });

function toPosted({ after, outcome, status }: Plan, ended: Promise<number>): Posted {
  const error = outcome === 'acknowledged' ? null : `The attempt failed: ${outcome}`;
  const rest = { isRepeated: false, durationMs: after, timings: noTimings, ended };
  return { outcome, responseStatus: status, error, ...rest };
}
