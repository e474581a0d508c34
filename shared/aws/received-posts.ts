import * as z from 'zod/mini';
import { receivedPostsSchema } from '#shared/contract/received-posts-schema.ts';
import type { Table } from './clients.ts';
import { queryAll } from './table/query-pages.ts';

/** One POST that the receiver of smoke tests got. */
export type ReceivedPost = {
  /** First segment of the path. */
  readonly mailbox: string;
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

const keptSeconds = 3_600;

const row = z.pipe(
  z.object({
    mailbox: z.string(),
    received: z.string(),
    at: z.number(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    body_base64: z.string(),
  }),
  z.transform(
    ({ mailbox, received, at, path, headers, body_base64 }): ReceivedPost => ({
      mailbox,
      requestId: received.slice(received.indexOf('#') + 1),
      at,
      path,
      headers,
      body: Buffer.from(body_base64, 'base64'),
    }),
  ),
);

/** Keeps a POST for an hour. */
export function storeReceivedPost({ client, name }: Pick<Table, 'client' | 'name'>) {
  return async ({ mailbox, requestId, at, path, headers, body }: ReceivedPost): Promise<void> => {
    const keys = receivedPostsSchema;
    await client.put({
      TableName: name,
      Item: {
        [keys.partitionKey]: mailbox,
        [keys.sortKey]: `${new Date(at).toISOString()}#${requestId}`,
        [keys.expiresAt]: Math.floor(at / 1_000) + keptSeconds,
        at,
        path,
        headers,
        body_base64: Buffer.from(body).toString('base64'),
      },
    });
  };
}

/** Reads the POSTs of a mailbox, oldest first. */
export function readReceivedPosts(table: Pick<Table, 'client' | 'name'>) {
  return async (mailbox: string): Promise<readonly ReceivedPost[]> => {
    const items = await queryAll(table, {
      KeyConditionExpression: '#mailbox = :mailbox',
      ExpressionAttributeNames: { '#mailbox': receivedPostsSchema.partitionKey },
      ExpressionAttributeValues: { ':mailbox': mailbox },
    });
    return items.map((item) => row.parse(item));
  };
}
