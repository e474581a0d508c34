/** The events of the bus that lead to the intake; their `detail` is an intake message. */
export const busEvent = { source: 'run-engine', detailType: 'intake-message' } as const;
