/** Limits that the project sets itself. What an event may consume on AWS is in test/budgets. */
export const budgets = {
  /** CPU-ms of intake and delivery for an event in a burst. */
  cpuMsOneEndpoint: 3,
  cpuMsTenEndpoints: 3.8,
  /** Requests of both to DynamoDB for an event in a burst. */
  tableCalls: 3.3,
  /** Bytes that both write to their logs for an event in a burst. */
  logBytes: 500,
  /** US dollars for a million events, by the label of the benchmark. */
  usd: { 'balanced, 10 a second to 10 endpoints': 5.6, 'full batches to 1 endpoint': 3.9 },
  /** Milliseconds from event to POST at a small rate. */
  arrivalMs: { p50: 10, p99: 40 },
  /** Milliseconds of a request to the API on an idle machine, median. */
  readMs: 12,
  /** How much worse the last tenth of many deliveries may be than the second one. */
  tenthRatio: 1.1,
  /** New connections to a quick endpoint for 100 deliveries. */
  newConnections: 1,
  /** The burst of the benchmark: milliseconds from event to POST for its neighbour, and until its last event. */
  burstMs: { neighbourP50: 600, neighbourP99: 2_000, last: 30_000 },
  /** Milliseconds from event to POST in a long burst, for the last event. */
  lastMs: 10_000,
  /** Milliseconds from event to POST at quick endpoints beside a slow one, 99th percentile. */
  quickP99Ms: 60,
  /** Quick endpoints in the slow lane, whatever else the process has to do. */
  wronglyMarked: 0,
  /** Times an empty handler, from the start of the process to its first answer. */
  coldStart: 4.5,
  /** Kilobytes of a bundle. */
  bundleKb: 450,
} as const;
