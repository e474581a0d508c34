/**
 * Everything that can go wrong, by the point at which it does. A run's faults are a list that fast-check makes and
 * shrinks: each states how many such points pass before it strikes.
 */
export const faultKinds = {
  /** A function sends a request to a service. Every await of a function is such a point. */
  request: [
    /** Refused, nothing done. */
    'throttled',
    /** Done, but the response is lost, and the function gets an error. */
    'answer_lost',
    /** Done, the response lost, and done again by the client, which returns only the second response. */
    'repeated',
    /** The function gets an error, and the request is served up to a minute later. */
    'served_late',
    'slow',
    /** An eventually consistent read returns a state up to a minute old. */
    'stale',
    /** The function dies: before the request, while it travels, or while its response travels. */
    'crash_before',
    'crash_after',
  ],
  /** The POST to a receiver. A crash comes before it leaves, or once the receiver has it. */
  post: ['slow_network', 'crash_before_post', 'crash_during_post'],
  /** A function is started. */
  /** `starved`: each response waits for the process, which gets little processor time. */
  invocation: ['clock_ahead', 'clock_behind', 'clock_set_back', 'starved', 'killed'],
  /** A message is sent to a queue. `vanished`: a delivery queue loses it, which SQS promises not to do. */
  send: ['duplicated', 'delayed', 'refused', 'vanished'],
  /** A queue sends a message to a poller, and it never arrives. */
  receive: ['receive_lost'],
  /** A message is processed, but not deleted from its queue. */
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

/** `gap`: the number of points of its kind that pass after the last fault there, before it strikes. */
export type Fault = { readonly gap: number; readonly kind: FaultKind };

type Streams = { readonly [P in FaultPoint]: FaultStream<FaultOf<P>> };

/** Returns the faults of a run, point by point. */
export class Faults {
  readonly #streams: Streams;

  /** @param onFault called for each fault that strikes */
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

  /** The fault at this point, or `null`. */
  next<P extends FaultPoint>(point: P): FaultOf<P> | null {
    return this.#streams[point].next();
  }

  /** From now on, no fault strikes. */
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
