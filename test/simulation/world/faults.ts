/**
 * Everything that can go wrong, by the point at which it does. A run's faults are a list that fast-check makes and
 * shrinks: each says how many such points pass in peace before it strikes.
 */
export const faultKinds = {
  /** A function asks a service for something. A request is what a function awaits: every await is such a point. */
  request: [
    /** Refused, nothing done. */
    'throttled',
    /** Done, but the response is lost and the function sees an error. */
    'answer_lost',
    /** Done, the answer lost, and done again by the client, which tells of the second time only. */
    'repeated',
    /** The function sees an error, and the request is served up to a minute later. */
    'served_late',
    'slow',
    /** A read that need not be consistent answers what was true up to a minute ago. */
    'stale',
    /** The function is gone for good: before the request, on its way, or with the answer on its way. */
    'crash_before',
    'crash_after',
  ],
  /** The POST to a receiver. A crash comes before it leaves, or once the receiver has it. */
  post: ['slow_network', 'crash_before_post', 'crash_during_post'],
  /** A function is started. */
  invocation: ['clock_ahead', 'clock_behind', 'killed'],
  /** A queue is given a message. That the delivery queue loses one for good, no queue should ever do. */
  send: ['duplicated', 'delayed', 'refused', 'vanished'],
  /** A queue hands a message out, and it never arrives. */
  receive: ['receive_lost'],
  /** A message is done, but not taken off its queue. */
  deletion: ['deletion_lost'],
  /** A schedule is due. */
  firing: ['dropped', 'fired_twice', 'fired_late', 'fired_early'],
  /** The rule starts a sweep that has something to find. */
  sweep: ['sweep_skipped', 'swept_twice'],
} as const;

export type FaultPoint = keyof typeof faultKinds;
export const faultPoints = [
  'request',
  'post',
  'invocation',
  'send',
  'receive',
  'deletion',
  'firing',
  'sweep',
] as const satisfies readonly FaultPoint[];
export type FaultOf<P extends FaultPoint> = (typeof faultKinds)[P][number];
export type FaultKind = FaultOf<FaultPoint>;

/** `gap`: how many points of its kind pass before it strikes, since the last fault there. */
export type Fault = { readonly gap: number; readonly kind: FaultKind };

type Streams = { readonly [P in FaultPoint]: FaultStream<FaultOf<P>> };

/** Hands out a run's faults, point by point. */
export class Faults {
  readonly #streams: Streams;

  /** @param onFault called with each fault that strikes */
  constructor(faults: readonly Fault[], onFault: (kind: FaultKind) => void) {
    this.#streams = {
      request: new FaultStream(faultKinds.request, faults, onFault),
      post: new FaultStream(faultKinds.post, faults, onFault),
      invocation: new FaultStream(faultKinds.invocation, faults, onFault),
      send: new FaultStream(faultKinds.send, faults, onFault),
      receive: new FaultStream(faultKinds.receive, faults, onFault),
      deletion: new FaultStream(faultKinds.deletion, faults, onFault),
      firing: new FaultStream(faultKinds.firing, faults, onFault),
      sweep: new FaultStream(faultKinds.sweep, faults, onFault),
    };
  }

  /** What goes wrong at this point, if anything. */
  next<P extends FaultPoint>(point: P): FaultOf<P> | null {
    return this.#streams[point].next();
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    for (const stream of Object.values(this.#streams)) stream.end();
  }
}

class FaultStream<K extends FaultKind> {
  readonly #left: { readonly gap: number; readonly kind: K }[];
  readonly #onFault: (kind: K) => void;
  #passed = 0;

  constructor(kinds: readonly K[], faults: readonly Fault[], onFault: (kind: K) => void) {
    this.#onFault = onFault;
    this.#left = faults
      .flatMap(({ gap, kind }) => kinds.filter((own) => own === kind).map((own) => ({ gap, kind: own })))
      .reverse();
  }

  next(): K | null {
    const fault = this.#left.at(-1);
    if (fault === undefined) return null;
    this.#passed += 1;
    if (this.#passed <= fault.gap) return null;
    this.#passed = 0;
    this.#left.pop();
    this.#onFault(fault.kind);
    return fault.kind;
  }

  end(): void {
    this.#left.length = 0;
  }
}
