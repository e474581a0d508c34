/** Limits that the project sets itself. What an event may consume on AWS is in test/budgets. */
export const budgets = {
  /** CPU-ms of intake and delivery for an event in a burst. */
  cpuMsOneEndpoint: 3,
  cpuMsTenEndpoints: 3.8,
  /** Requests of both to DynamoDB for an event in a burst. */
  tableCalls: 3.3,
  /** Bytes that both write to their logs for an event in a burst. */
  logBytes: 500,
  /** Milliseconds from event to POST at quick endpoints beside a slow one, 99th percentile. */
  quickP99Ms: 60,
  /** Times an empty handler, from the start of the process to its first answer. */
  coldStart: 4.5,
  /** Kilobytes of a bundle. */
  bundleKb: 450,
  /** Ratio between a table with few and one with many records: of units for any request, of time in the median. */
  unitRatio: 1,
  timeRatio: 1.05,
} as const;
