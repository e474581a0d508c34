import * as z from 'zod';

/** What the thread of a hasty receiver is told. */
export const hastyPlan = z.object({
  key: z.string(),
  cert: z.string(),
  maxVersion: z.enum(['TLSv1.2', 'TLSv1.3']),
  /** Whether it sends an answer on each new connection at once. */
  greets: z.boolean(),
  gate: z.instanceof(SharedArrayBuffer),
});
export type HastyPlan = z.infer<typeof hastyPlan>;

/** Where the gate says that the kernel has taken the answer in advance: over loopback it has arrived then. */
export const flushed = 0;
