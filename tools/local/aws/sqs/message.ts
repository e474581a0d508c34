import { createHash } from 'node:crypto';
import { z } from 'zod';

export const messageAttributesSchema = z.record(
  z.string(),
  z.object({
    DataType: z.string(),
    StringValue: z.string().exactOptional(),
    /** Base64. */
    BinaryValue: z.string().exactOptional(),
  }),
);
export type MessageAttributes = z.infer<typeof messageAttributesSchema>;

/** One message of a queue, as it is stored. Times are epoch milliseconds. */
export const messageSchema = z.object({
  id: z.string(),
  body: z.string(),
  attributes: messageAttributesSchema,
  /** `null` for a message without a group, which counts as a tenant of its own. */
  group: z.string().nullable(),
  /** Trace header of the request that sent it. */
  trace: z.string().nullable(),
  sentAt: z.number(),
  /** End of the delay with which it was sent. */
  delayedUntil: z.number(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().nullable(),
});
export type Message = z.infer<typeof messageSchema>;

const text = 1;
const binary = 2;

/** A character that SQS refuses in a message, because XML 1.0 excludes it. */
const refusedCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

export const hasRefusedCharacter = (body: string): boolean => refusedCharacter.test(body);

/** Bytes that count towards the size limits. */
export function sizeOf(body: string, attributes: MessageAttributes): number {
  const ofAttributes = Object.entries(attributes).flatMap(([name, { DataType, ...value }]) => [
    Buffer.byteLength(name),
    Buffer.byteLength(DataType),
    valueBytes(value).length,
  ]);
  return ofAttributes.reduce((sum, bytes) => sum + bytes, Buffer.byteLength(body));
}

export const md5 = (body: string): string => createHash('md5').update(body).digest('hex');

/** The digest that an SDK compares with its own; `undefined` without attributes. */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const names = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  if (names.length === 0) return undefined;
  const hash = createHash('md5');
  for (const [name, { DataType, ...value }] of names) {
    hash.update(withLength(Buffer.from(name))).update(withLength(Buffer.from(DataType)));
    hash
      .update(Buffer.of(DataType.startsWith('Binary') ? binary : text))
      .update(withLength(valueBytes(value)));
  }
  return hash.digest('hex');
}

function valueBytes({ StringValue, BinaryValue }: Omit<MessageAttributes[string], 'DataType'>): Buffer {
  return BinaryValue === undefined ? Buffer.from(StringValue ?? '') : Buffer.from(BinaryValue, 'base64');
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
