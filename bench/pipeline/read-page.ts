import { z } from 'zod';
import type { Subject } from './subject.ts';

/** Reads of the first page: more would meet the request limit of one key. */
export const reads = { warmUp: 5, timed: 20, pageSize: 50 } as const;

const page = z.object({ items: z.array(z.unknown()).length(reads.pageSize) });

/**
 * Reads the first page of the deliveries of the endpoint with the most events, over HTTP.
 *
 * @returns milliseconds of each read
 */
export async function readPages({ bench, endpoints }: Subject): Promise<readonly number[]> {
  const [endpoint] = endpoints;
  if (endpoint === undefined) throw new Error('Cannot read deliveries: there is no endpoint');
  const { apiKey, webhookId } = endpoint;
  const url = `${bench.stack.info.api_url}/v1/webhooks/${webhookId}/deliveries?limit=${reads.pageSize}`;
  const durations: number[] = [];
  for (let read = 0; read < reads.warmUp + reads.timed; read += 1) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
    const body: unknown = await response.json();
    durations.push(performance.now() - startedAt);
    page.parse(body);
  }
  return durations.slice(reads.warmUp);
}
