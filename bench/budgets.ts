/** Limits that the project sets itself, by the name of the figure that they apply to. */
export const budgets = {
  /** Times an empty handler, from the start of the process to its first answer. */
  coldStartOfQueues: 3.5,
  coldStartOfApi: 5,
  /** Bytes of a bundle of intake or delivery. */
  queueBundle: 250_000,
  /** Largest ratio between a table with few and one with many records. */
  growth: 1.05,
} as const;
