import { z } from 'zod';
import { stackFileSchema } from '../../local/stack/stack-file.ts';

/** What the process with the stack is started with, as one argument. */
export const stackArguments = z.object({ stateDir: z.string(), trustedOrigin: z.string() });

/** What it is told afterwards: the order in which its queues hand out messages. */
export const orderMessage = z.object({ order: z.enum(['plain', 'fair']) });

/** What it tells. */
export const stackMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('ready'),
    info: stackFileSchema,
    /** Of the delivery queue, as the template has it. */
    maximumConcurrency: z.number(),
    batchSize: z.number(),
  }),
  z.object({ kind: z.literal('ordered') }),
]);

export type StackMessage = z.infer<typeof stackMessage>;
export type ReadyMessage = Extract<StackMessage, { kind: 'ready' }>;
