import { z } from 'zod';
import { spreadOf } from '../percentiles.ts';
import type { Subject } from './subject.ts';

/** Reads of the first page in a round: many more would meet the request limit of one key. */
export const reads = { warmUp: 2, timed: 7, pageSize: 50 } as const;

const page = z.object({ items: z.array(z.unknown()).length(reads.pageSize) });

/**
 * Reads the first page of the deliveries of the endpoint with the most events, over HTTP.
 *
 * @returns median of the reads in milliseconds
 */
export async function readPage({ bench, endpoints }: Subject): Promise<number> {
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
  return spreadOf(durations.slice(reads.warmUp)).p50;
}
