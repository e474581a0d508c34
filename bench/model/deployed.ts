/** Settings of a stage with default values. A test compares them with the templates. */
export const deployed = {
  intake: { memoryMb: 1_024, batchSize: 10, functions: 100, timeoutMs: 30_000 },
  deliver: { memoryMb: 256, batchSize: 10, functions: 400 },
  slowLane: { memoryMb: 256, batchSize: 20, functions: 100 },
  api: { memoryMb: 512 },
  provisioned: { min: 25, utilization: 70 },
} as const;
