import { z } from 'zod';
import { AwsError, parseInput } from '../aws-api.ts';
import { sizeOf } from './message.ts';
import {
  changeVisibility,
  deleteSchema,
  maxBatchSize,
  only,
  receive,
  receiveSchema,
  remove,
  type SqsCaller,
  send,
  sendSchema,
  visibilitySchema,
} from './message-actions.ts';
import type { Queue } from './queue.ts';
import type { SqsQueues } from './sqs-queues.ts';

/** Makes its changes before it returns, except for a long poll that finds no message at first. */
type SqsAction = (queues: SqsQueues, input: unknown, caller: SqsCaller) => unknown;

type OnQueue<Input> = (queue: Queue, input: Input, caller: SqsCaller) => unknown;

const maxBatchBytes = 1_048_576;

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
  return (queues, input, caller) =>
    run(queues.find(parse(urlSchema, input).QueueUrl), parse(schema, input), caller);
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
  let bytes = 0;
  for (const { MessageBody, MessageAttributes } of entries) bytes += sizeOf(MessageBody, MessageAttributes);
  if (bytes <= maxBatchBytes) return;
  throw new AwsError('BatchRequestTooLong', `Batch requests cannot be longer than ${maxBatchBytes} bytes.`);
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  return parseInput(schema, input, 'InvalidParameterValue');
}
