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
  /**
   * The POST to a receiver. A crash comes before it leaves, or once the receiver has it. `kept_connection_ends`: it leaves
   * on a kept connection, which ends without a response.
   */
  post: ['slow_network', 'crash_before_post', 'crash_during_post', 'kept_connection_ends'],
  /** A function is started. `starved`: each response waits for the process, which gets little processor time. */
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
/** The points by name, in order. */
export const faultPoints: readonly FaultPoint[] = Object.keys(faultKinds).filter(
  (name): name is FaultPoint => name in faultKinds,
);
export type FaultOf<P extends FaultPoint> = (typeof faultKinds)[P][number];
export type FaultKind = FaultOf<FaultPoint>;

/** `gap`: the number of points of its kind that pass after the last fault there, before it strikes. */
export type Fault = { readonly gap: number; readonly kind: FaultKind };

/** Returns the faults of a run, point by point. */
export class Faults {
  readonly #onFault: (kind: FaultKind) => void;
  /** By point: the faults to come, and the number of points that passed since the last one. */
  readonly #streams: ReadonlyMap<FaultPoint, { left: readonly Fault[]; passed: number }>;

  /** @param onFault called for each fault that strikes */
  constructor(faults: readonly Fault[], onFault: (kind: FaultKind) => void) {
    this.#onFault = onFault;
    const at = (point: FaultPoint) => faults.filter(({ kind }) => faultKinds[point].some((own) => own === kind));
    this.#streams = new Map(faultPoints.map((point) => [point, { left: at(point), passed: 0 }]));
  }

  /** The fault at this point, or `null`. */
  next<P extends FaultPoint>(point: P): FaultOf<P> | null {
    const stream = this.#streams.get(point);
    const fault = stream?.left[0];
    if (stream === undefined || fault === undefined) return null;
    stream.passed += 1;
    if (stream.passed <= fault.gap) return null;
    stream.passed = 0;
    stream.left = stream.left.slice(1);
    this.#onFault(fault.kind);
    const kinds: readonly FaultOf<P>[] = faultKinds[point];
    return kinds.find((kind) => kind === fault.kind) ?? null;
  }

  /** From now on, no fault strikes. */
  end(): void {
    for (const stream of this.#streams.values()) stream.left = [];
  }
}
