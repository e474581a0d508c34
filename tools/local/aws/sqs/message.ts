import { hash } from 'node:crypto';
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

/** What a sender says of a message. */
export type NewMessage = Pick<Message, 'body'> &
  Partial<Pick<Message, 'attributes' | 'group' | 'trace'>> & { readonly delaySeconds?: number | undefined };

export function newMessage(id: string, given: NewMessage, sentAt: number): Message {
  const { body, attributes = {}, group = null, trace = null, delaySeconds = 0 } = given;
  const delayedUntil = sentAt + delaySeconds * 1_000;
  return { id, body, attributes, group, trace, sentAt, delayedUntil, receiveCount: 0, firstReceivedAt: null };
}

/** A character that SQS refuses in a body or an attribute, because XML 1.0 excludes it. */
const refusedCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

export const hasRefusedCharacter = (text: string): boolean => refusedCharacter.test(text);

/** Bytes that count towards the size limits. */
export function sizeOf(body: string, attributes: MessageAttributes): number {
  const parts = Object.entries(attributes).flatMap(([name, attribute]) => [name, ...partsOf(attribute)]);
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), Buffer.byteLength(body));
}

export const md5 = (body: string | Buffer): string => hash('md5', body);

/** The digest that an SDK compares with its own; `undefined` without attributes. */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const sorted = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  if (sorted.length === 0) return undefined;
  const encoded = sorted.flatMap(([name, attribute]) => {
    const [type, value] = partsOf(attribute);
    const isBinary = type.startsWith('Binary');
    return [withLength(name), withLength(type), Buffer.of(isBinary ? 2 : 1), withLength(value)];
  });
  return md5(Buffer.concat(encoded));
}

function partsOf({ DataType, StringValue = '', BinaryValue }: MessageAttributes[string]) {
  return [DataType, BinaryValue === undefined ? StringValue : Buffer.from(BinaryValue, 'base64')] as const;
}

function withLength(part: string | Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(part));
  return Buffer.concat([length, Buffer.from(part)]);
}
