import * as z from 'zod';

/** The `workerData` of a hasty receiver's thread. */
export const hastyPlan = z.object({
  key: z.string(),
  cert: z.string(),
  maxVersion: z.enum(['TLSv1.2', 'TLSv1.3']),
  /** Whether it sends an answer on each new connection at once. */
  greets: z.boolean(),
  gate: z.instanceof(SharedArrayBuffer),
});
export type HastyPlan = z.infer<typeof hastyPlan>;

/** Index in the gate that is set once the kernel took the early answer: over loopback, it has then arrived. */
export const flushed = 0;
