import { z } from 'zod';
import { localAccount } from '../../template/identities.ts';
import { AwsError, parseInput } from '../aws-api.ts';
import {
  hasRefusedCharacter,
  type MessageAttributes,
  md5,
  md5OfAttributes,
  messageAttributesSchema,
  sizeOf,
} from './message.ts';
import type { Queue } from './queue.ts';
import type { SqsQueues } from './sqs-queues.ts';

/** What a request says besides its body. */
type SqsCaller = {
  /** Header `x-amzn-trace-id`. */
  readonly trace: string | undefined;
  readonly signal: AbortSignal | undefined;
};

/** Makes its changes before it returns, except for a long poll that finds no message at first. */
type SqsAction = (queues: SqsQueues, input: unknown, caller: SqsCaller) => unknown;

type OnQueue<Input> = (queue: Queue, input: Input, caller: SqsCaller) => unknown;

/** SQS's limits of one call. */
const maxBatchSize = 10;
const maxBatchBytes = 1_048_576;

const visibilitySeconds = z.number().int().min(0).max(43_200);

const sendSchema = z.object({
  MessageBody: z.string().min(1),
  DelaySeconds: z.number().int().min(0).max(900).optional(),
  MessageAttributes: messageAttributesSchema
    .refine(areAccepted, 'A name, type or value is wrong, or one too many')
    .default({}),
  MessageGroupId: z
    .string()
    .regex(/^[!-~]{1,128}$/)
    .optional(),
});
const visibilitySchema = z.object({ ReceiptHandle: z.string(), VisibilityTimeout: visibilitySeconds });
const deleteSchema = z.object({ ReceiptHandle: z.string() });
const receiveSchema = z.object({
  MaxNumberOfMessages: z.number().int().min(1).max(maxBatchSize).default(1),
  VisibilityTimeout: visibilitySeconds.optional(),
  WaitTimeSeconds: z.number().int().min(0).max(20).optional(),
  AttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  MessageAttributeNames: z.array(z.string()).default([]),
});
const attributes = z.record(z.string(), z.string());
const createSchema = z.object({
  QueueName: z.string().regex(/^[\w-]{1,80}$/),
  Attributes: attributes.default({}),
});
const nameSchema = z.object({ QueueName: z.string() });
const urlSchema = z.object({ QueueUrl: z.string() });
const getAttributesSchema = z.object({ AttributeNames: z.array(z.string()).default(['All']) });
const setAttributesSchema = z.object({ Attributes: attributes });
const entriesSchema = z.object({
  Entries: z.array(z.looseObject({ Id: z.string().regex(/^[\w-]{1,80}$/) })),
});

/** The actions that programs of this project use. */
export const sqsActions: Readonly<Record<string, SqsAction>> = {
  CreateQueue: (queues, input) => {
    const { QueueName, Attributes } = parse(createSchema, input);
    queues.create(QueueName, Attributes);
    return { QueueUrl: queues.urlOf(QueueName) };
  },
  GetQueueUrl: (queues, input) => {
    const { name } = queues.find(parse(nameSchema, input).QueueName);
    return { QueueUrl: queues.urlOf(name) };
  },
  GetQueueAttributes: onQueue(getAttributesSchema, (queue, { AttributeNames }) => ({
    Attributes: only(queue.attributes, AttributeNames),
  })),
  SetQueueAttributes: onQueue(setAttributesSchema, (queue, { Attributes }) => {
    queue.setAttributes(Attributes);
    return {};
  }),
  SendMessage: onQueue(sendSchema, send),
  SendMessageBatch: onEntries(sendSchema, send, checkBytes),
  ReceiveMessage: onQueue(receiveSchema, receive),
  DeleteMessage: onQueue(deleteSchema, remove),
  DeleteMessageBatch: onEntries(deleteSchema, remove),
  ChangeMessageVisibility: onQueue(visibilitySchema, changeVisibility),
  ChangeMessageVisibilityBatch: onEntries(visibilitySchema, changeVisibility),
};

function onQueue<Input>(schema: z.ZodType<Input>, run: OnQueue<Input>): SqsAction {
  return (queues, input, caller) => run(queues.find(parse(urlSchema, input).QueueUrl), parse(schema, input), caller);
}

/**
 * Runs an action on each entry of a batch. An entry that is refused does not affect the others.
 *
 * @param check refuses the batch as a whole
 */
function onEntries<Input>(
  schema: z.ZodType<Input>,
  run: (...given: Parameters<OnQueue<Input>>) => object,
  check: (entries: readonly Input[]) => void = () => {},
): SqsAction {
  return onQueue(entriesSchema, (queue, { Entries }, caller) => {
    checkIds(Entries.map(({ Id }) => Id));
    const entries = Entries.map((entry) => ({ Id: entry.Id, input: parse(schema, entry) }));
    check(entries.map(({ input }) => input));
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const { Id, input } of entries) {
      try {
        Successful.push({ Id, ...run(queue, input, caller) });
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
      }
    }
    return { Successful, Failed };
  });
}

function checkIds(ids: readonly string[]): void {
  if (ids.length === 0) throw new AwsError('EmptyBatchRequest', 'There should be at least one entry.');
  if (ids.length > maxBatchSize) {
    throw new AwsError('TooManyEntriesInBatchRequest', `Maximum number of entries is ${maxBatchSize}.`);
  }
  if (new Set(ids).size < ids.length) {
    throw new AwsError('BatchEntryIdsNotDistinct', 'Two or more entries have the same Id.');
  }
}

function checkBytes(entries: readonly z.infer<typeof sendSchema>[]): void {
  const sizes = entries.map(({ MessageBody, MessageAttributes }) => sizeOf(MessageBody, MessageAttributes));
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > maxBatchBytes) {
    throw new AwsError('BatchRequestTooLong', `Batch requests cannot be longer than ${maxBatchBytes} bytes.`);
  }
}

const attributeName = /^(?!aws\.|amazon\.)[\w.-]{1,256}$/i;
const attributeType = /^(?:String|Number|Binary)(?:\..+)?$/;

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html */
function areAccepted(attributes: MessageAttributes): boolean {
  const all = Object.entries(attributes);
  return (
    all.length <= 10 &&
    all.every(
      ([name, { DataType, StringValue }]) =>
        attributeName.test(name) && attributeType.test(DataType) && StringValue !== '',
    )
  );
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  return parseInput(schema, input, 'InvalidParameterValue');
}

function send(queue: Queue, input: z.infer<typeof sendSchema>, { trace }: SqsCaller): object {
  const { MessageBody: body, MessageAttributes: attributes, MessageGroupId: group = null } = input;
  if ([body, ...Object.values(attributes).map(({ StringValue = '' }) => StringValue)].some(hasRefusedCharacter)) {
    throw new AwsError('InvalidMessageContents', 'Invalid characters found: XML 1.0 excludes them.');
  }
  const maxBytes = queue.number('MaximumMessageSize');
  if (sizeOf(body, attributes) > maxBytes) {
    throw new AwsError('InvalidParameterValue', `Message must be shorter than ${maxBytes} bytes.`);
  }
  const { DelaySeconds: delaySeconds } = input;
  const message = queue.newMessage({ body, attributes, group, trace: trace ?? null, delaySeconds });
  queue.send(message);
  return {
    MessageId: message.id,
    MD5OfMessageBody: md5(body),
    MD5OfMessageAttributes: md5OfAttributes(attributes),
  };
}

async function receive(queue: Queue, input: z.infer<typeof receiveSchema>, { signal }: SqsCaller) {
  const waitSeconds = input.WaitTimeSeconds ?? queue.number('ReceiveMessageWaitTimeSeconds');
  const { MaxNumberOfMessages: max, VisibilityTimeout: visibility } = input;
  const received = await queue.longPoll(max, visibility, waitSeconds, signal);
  return received.length === 0 ? {} : { Messages: received.map((each) => described(each, input)) };
}

function remove(queue: Queue, { ReceiptHandle }: z.infer<typeof deleteSchema>): object {
  queue.delete(ReceiptHandle);
  return {};
}

function changeVisibility(queue: Queue, input: z.infer<typeof visibilitySchema>): object {
  if (queue.changeVisibility(input.ReceiptHandle, input.VisibilityTimeout)) return {};
  throw new AwsError('MessageNotInflight', 'The message is not in flight under this receipt handle.');
}

function described(
  { message, receiptHandle }: ReturnType<Queue['receive']>[number],
  input: z.infer<typeof receiveSchema>,
): object {
  const system = {
    SenderId: localAccount,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.group !== null && { MessageGroupId: message.group }),
    ...(message.trace !== null && { AWSTraceHeader: message.trace }),
  };
  const attributes = only(message.attributes, input.MessageAttributeNames);
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    Attributes: only(system, [...input.AttributeNames, ...input.MessageSystemAttributeNames]),
    ...(Object.keys(attributes).length > 0 && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: md5OfAttributes(attributes),
    }),
  };
}

/** `All` stands for every name. */
function only<T>(values: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const isWanted = (name: string) => names.includes('All') || names.includes(name);
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}
