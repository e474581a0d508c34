/** Limits that the project sets itself. docs/performance.md shows each beside its figure. */
export const budgets = {
  /** Units for a delivered event with one endpoint, refused writes included. */
  writeUnits: 5,
  readUnitsInBursts: 1.5,
  readUnitsAtTrickle: 2,
  /** SQS requests for a delivered event under load. */
  sqsRequests: 1,
  /** Schedules for a delivery that succeeds at once. */
  schedules: 0,
  /** CPU-ms of intake and delivery for a delivered event. */
  handlerCpuMs: 4,
  /** Milliseconds from event to POST at quick endpoints beside a slow one, 99th percentile. */
  quickP99Ms: 200,
  /** Times an empty handler, from the start of the process to its first answer. */
  coldStart: 4.5,
  /** Kilobytes of a bundle. */
  bundleKb: 450,
  /** Largest ratio between a table with few and one with many records. */
  unitRatio: 1,
  timeRatio: 1.05,
} as const;
