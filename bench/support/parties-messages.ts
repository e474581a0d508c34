import { z } from 'zod';
import { loadSchema } from './load.ts';

/** From the benchmark to the process of the parties. */
export const requestSchema = z.object({
  id: z.number(),
  request: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('listen'), key: z.string(), cert: z.string() }),
    z.object({ kind: z.literal('play'), load: loadSchema }),
    z.object({ kind: z.literal('received') }),
  ]),
});

/** The answer to the request with the same id. */
export const answerSchema = z.object({
  id: z.number(),
  answer: z.union([z.object({ value: z.unknown() }), z.object({ error: z.string() })]),
});

/** All POSTs so far, without handshakes. */
export const receivedSchema = z.object({
  arrivals: z.array(z.object({ endpoint: z.string(), runId: z.string(), at: z.number() })),
  /** POSTs that are kept whole, so that their signatures can be checked. */
  samples: z.array(
    z.object({
      endpoint: z.string(),
      signature: z.string(),
      bodyBase64: z.string(),
      /** Unix seconds. */
      arrivedAt: z.number(),
    }),
  ),
});

export type PartiesRequest = z.infer<typeof requestSchema>['request'];
export type Received = Readonly<z.infer<typeof receivedSchema>>;
