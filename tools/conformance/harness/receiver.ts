import * as z from 'zod';
import type { ReceiverConfig } from '../config.ts';
import { parseJson, sendRaw } from './exchange.ts';

/** One POST as the receiver recorded it: `at` in epoch milliseconds, the bytes on the wire, and these parsed. */
export type Received = {
  readonly at: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly json: unknown;
};

const inboxSchema = z.array(
  z.object({
    time: z.iso.datetime(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body_base64: z.string(),
  }),
);

/** The receiver of deliveries. */
export function createReceiver({ origin, inbox_url }: ReceiverConfig) {
  return {
    /** Address of a mailbox. The query controls how the receiver responds. */
    urlOf: (name: string, behaviour?: string): string =>
      `${origin}/${name}${behaviour === undefined ? '' : `?${behaviour}`}`,
    /** All requests to a mailbox, in order. */
    inbox: (name: string): Promise<readonly Received[]> => readInbox(inbox_url, name),
  };
}

/** All requests to a mailbox, in order. */
export async function readInbox(inboxUrl: string, name: string): Promise<readonly Received[]> {
  const { json } = await sendRaw({ url: `${inboxUrl}?name=${encodeURIComponent(name)}`, method: 'GET' });
  return inboxSchema.parse(json).map(({ time, headers, body_base64 }) => {
    const body = Buffer.from(body_base64, 'base64');
    const values = Object.entries(headers).map(
      ([header, value]) => [header.toLowerCase(), [value].flat().join(', ')] as const,
    );
    return { at: Date.parse(time), headers: new Map(values), body, json: parseJson(body.toString('utf8')) };
  });
}
