/** Limits that the project sets itself. What an event may consume on AWS is in test/budgets. */
export const budgets = {
  /** CPU time of intake and delivery for an event in a burst, in lean writes of the table. */
  cpuOneEndpoint: 8,
  cpuTenEndpoints: 10,
  /** Requests of both to DynamoDB for an event in a burst. */
  tableCalls: 2,
  /** The same when every batch has ten events. */
  tableCallsInFullBatches: 0.75,
  /** Bytes that both write to their logs for an event in a burst. */
  logBytes: 550,
  /** US dollars for a million events, by the label of the benchmark. */
  usd: { 'balanced, 10 a second to 10 endpoints': 5.6, 'full batches to 1 endpoint': 3.85 },
  /** From event to POST at a small rate, in lean writes of the table. */
  arrival: { p50: 60, p99: 160 },
  /** A request to the API on an idle machine, median, in lean writes of the table. */
  read: 60,
  /** How much worse the last tenth of many deliveries may be than the second one. */
  tenthRatio: 1.1,
  /** New connections to a quick endpoint for 100 deliveries. */
  newConnections: 1,
  /** From event to POST for the neighbour of a burst, times that without one; milliseconds until the last event of it. */
  burst: { p50: 12, p99: 60, lastMs: 30_000 },
  /** Milliseconds from event to POST in a long burst, for the last event. */
  lastMs: 10_000,
  /** From event to POST at quick endpoints beside a slow one, 99th percentile, times that without it. */
  quickP99: 4,
  /** Quick endpoints in the slow lane, whatever else the process has to do. */
  wronglyMarked: 0,
  /** Times an empty handler, from the start of the process to its first answer: 4.3 to 5.2 on three machines. */
  coldStart: 6,
} as const;
