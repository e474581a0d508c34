import * as z from 'zod';
import type { ReceiverConfig } from './config.ts';
import { parseJson } from './exchange.ts';
import type { RawHttp } from './http.ts';

const inboxSchema = z.array(
  z.object({
    time: z.iso.datetime(),
    path: z.string(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body_base64: z.string(),
  }),
);

/** One POST as the receiver recorded it. */
export type Received = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The bytes on the wire. */
  readonly body: Buffer;
  readonly json: unknown;
};

/** The receiver of deliveries. */
export type Receiver = {
  /** Address of a mailbox. The query controls how the receiver responds. */
  readonly urlOf: (name: string, behaviour?: string) => string;
  /** All requests to a mailbox, in order. */
  readonly inbox: (name: string) => Promise<readonly Received[]>;
};

export function createReceiver(config: ReceiverConfig, http: RawHttp): Receiver {
  return {
    urlOf: (name, behaviour) => `${config.origin}/${name}${behaviour === undefined ? '' : `?${behaviour}`}`,
    inbox: async (name) => {
      const url = `${config.inbox_url}?name=${encodeURIComponent(name)}`;
      const response = await http.send({ url, method: 'GET', headers: {} });
      return inboxSchema.parse(JSON.parse(response.bytes.toString('utf8'))).map(toReceived);
    },
  };
}

type InboxEntry = z.infer<typeof inboxSchema>[number];

function toReceived({ time, headers, body_base64 }: InboxEntry): Received {
  const body = Buffer.from(body_base64, 'base64');
  return {
    at: Date.parse(time),
    headers: new Map(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
    ),
    body,
    json: parseJson(body.toString('utf8')),
  };
}

/** The value of a header `X-<name>-<ending>`, where the name is a setting of the deployment. */
export function serviceHeader(
  received: Received,
  ending: 'signature' | 'event-id' | 'event-type',
): string | undefined {
  for (const [name, value] of received.headers) {
    if (name.startsWith('x-') && name.endsWith(`-${ending}`)) return value;
  }
  return undefined;
}
