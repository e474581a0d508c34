import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { localAccount } from '../../template/identities.ts';
import { AwsError } from '../aws-api.ts';
import {
  hasRefusedCharacter,
  type Message,
  md5,
  md5OfAttributes,
  messageAttributesSchema,
  sizeOf,
} from './message.ts';
import type { Queue, QueueAttributes, ReceivedMessage } from './queue.ts';

/** What a request says besides its body. */
export type SqsCaller = {
  /** Header `x-amzn-trace-id`. */
  readonly trace: string | undefined;
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal | undefined;
};

/** SQS's limit of entries and messages per call. */
export const maxBatchSize = 10;

const visibilitySeconds = z.number().int().min(0).max(43_200);

export const sendSchema = z.object({
  MessageBody: z.string().min(1),
  DelaySeconds: z.number().int().min(0).max(900).optional(),
  MessageAttributes: messageAttributesSchema.default({}),
  MessageGroupId: z.string().optional(),
});
export const visibilitySchema = z.object({ ReceiptHandle: z.string(), VisibilityTimeout: visibilitySeconds });
export const deleteSchema = z.object({ ReceiptHandle: z.string() });
export const receiveSchema = z.object({
  MaxNumberOfMessages: z.number().int().min(1).max(maxBatchSize).default(1),
  VisibilityTimeout: visibilitySeconds.optional(),
  WaitTimeSeconds: z.number().int().min(0).max(20).optional(),
  AttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  MessageAttributeNames: z.array(z.string()).default([]),
});

export function send(queue: Queue, input: z.infer<typeof sendSchema>, { trace }: SqsCaller): object {
  const { MessageBody: body, MessageAttributes: attributes, MessageGroupId: group = null } = input;
  if (hasRefusedCharacter(body)) {
    throw new AwsError('InvalidMessageContents', 'Invalid characters found: XML 1.0 excludes them.');
  }
  const maxBytes = queue.number('MaximumMessageSize');
  if (sizeOf(body, attributes) > maxBytes) {
    throw new AwsError('InvalidParameterValue', `Message must be shorter than ${maxBytes} bytes.`);
  }
  const sentAt = Date.now();
  const message: Message = {
    id: randomUUID(),
    body,
    attributes,
    group,
    trace: trace ?? null,
    sentAt,
    delayedUntil: sentAt + (input.DelaySeconds ?? queue.number('DelaySeconds')) * 1_000,
    receiveCount: 0,
    firstReceivedAt: null,
  };
  queue.send(message);
  return {
    MessageId: message.id,
    MD5OfMessageBody: md5(body),
    MD5OfMessageAttributes: md5OfAttributes(attributes),
  };
}

export async function receive(
  queue: Queue,
  input: z.infer<typeof receiveSchema>,
  { signal }: SqsCaller,
): Promise<object> {
  const waitSeconds = input.WaitTimeSeconds ?? queue.number('ReceiveMessageWaitTimeSeconds');
  const { MaxNumberOfMessages: max, VisibilityTimeout: visibility } = input;
  const received = await queue.longPoll(max, visibility, waitSeconds, signal);
  return received.length === 0 ? {} : { Messages: received.map((each) => described(each, input)) };
}

export function remove(queue: Queue, { ReceiptHandle }: z.infer<typeof deleteSchema>): object {
  queue.delete(ReceiptHandle);
  return {};
}

function described(
  { message, receiptHandle }: ReceivedMessage,
  { AttributeNames, MessageSystemAttributeNames, MessageAttributeNames }: z.infer<typeof receiveSchema>,
): object {
  const attributes = only(message.attributes, MessageAttributeNames);
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    Attributes: only(systemAttributes(message), [...AttributeNames, ...MessageSystemAttributeNames]),
    ...(Object.keys(attributes).length > 0 && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: md5OfAttributes(attributes),
    }),
  };
}

function systemAttributes(message: Message): QueueAttributes {
  return {
    SenderId: localAccount,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.group !== null && { MessageGroupId: message.group }),
    ...(message.trace !== null && { AWSTraceHeader: message.trace }),
  };
}

/** `All` and `.*` stand for every name, and `name.*` for those that begin with `name.`. */
export function only<T>(values: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const isWanted = (name: string) =>
    names.some((each) =>
      each.endsWith('.*')
        ? name.startsWith(each.slice(0, -1).replace(/^\.$/, ''))
        : each === 'All' || each === name,
    );
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

export function changeVisibility(queue: Queue, input: z.infer<typeof visibilitySchema>): object {
  if (queue.changeVisibility(input.ReceiptHandle, input.VisibilityTimeout)) return {};
  throw new AwsError('MessageNotInflight', 'The message is not in flight under this receipt handle.');
}
