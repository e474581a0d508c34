/** Milliseconds of the monotonic clock of this machine. All processes share it, so one can time what another began. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Events that settle a Run, for each customer in turn. */
export type Load = {
  /** Origin of SQS. */
  readonly sqsUrl: string;
  readonly intakeQueueUrl: string;
  /** Each with one active endpoint, so that one event makes one delivery. */
  readonly customers: readonly string[];
  readonly count: number;
  /** Messages in a request to the queue, at most ten; one by default. */
  readonly perRequest?: number;
  /**
   * `inFlight`: a fixed number of requests is on its way; when the events of one have arrived, the next is sent.
   * `perSecond`: a fixed rate of requests, even when earlier events are late.
   */
  readonly pace: { readonly inFlight: number } | { readonly perSecond: number };
  /** Milliseconds to wait for a POST; an event that did not arrive has no time. */
  readonly timeoutMs: number;
};

/** All times are `sharedNow()`. */
export type PlayedEvent = {
  readonly runId: string;
  readonly customer: string;
  /** When the queue accepted the message. */
  readonly acceptedAt: number;
  /** When the whole POST had arrived. */
  readonly arrivedAt: number | null;
};

/** Milliseconds. A POST can arrive before the sender has read the answer of the queue; one that is missing is infinite. */
export function acceptedToPost({ acceptedAt, arrivedAt }: PlayedEvent): number {
  return arrivedAt === null ? Number.POSITIVE_INFINITY : Math.max(0, arrivedAt - acceptedAt);
}
