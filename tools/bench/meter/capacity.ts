import { z } from 'zod';
import { type Item, readItem } from '../../local/aws/dynamodb/attribute-value.ts';
import { itemBytes } from '../../local/aws/dynamodb/item-size.ts';
import { type AwsCall, noUnits, type Units } from './aws-call.ts';

/** An item in a request or an answer; an absent one is empty. */
const wireItem = z
  .unknown()
  .default({})
  .transform((item) => readItem(item));

/** What DynamoDB bills for one call. */
type Capacity = Pick<AwsCall, 'writeUnits' | 'readUnits' | 'isRefused'>;

const units = z.looseObject({ CapacityUnits: z.number() });
const consumed = z.looseObject({
  Table: units.optional(),
  GlobalSecondaryIndexes: z.record(z.string(), units).default({}),
});
const answered = z.looseObject({
  ConsumedCapacity: z.union([consumed.transform((one) => [one]), z.array(consumed)]).default([]),
});
const failed = z.looseObject({ __type: z.string().default(''), Item: wireItem });
const put = z.looseObject({ Item: wireItem });
const transaction = z.looseObject({ TransactItems: z.array(z.record(z.string(), put)).default([]) });

const writes = /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|BatchExecuteStatement|TransactWriteItems)$/;
const statements = z.looseObject({ Responses: z.array(z.looseObject({ Error: z.unknown().optional() })) });
const conditional = /^(PutItem|UpdateItem|DeleteItem)$/;
const writeUnitBytes = 1024;

/** The request with all that the answer has to say about its cost, which the caller did not ask for. */
export function withCapacity(action: string, input: object): object {
  const returned = conditional.test(action) ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {};
  return { ...input, ...returned, ReturnConsumedCapacity: 'INDEXES' };
}

/**
 * Reads what a call consumed. The answer says nothing of a write that its condition refused, but DynamoDB bills it by
 * the larger of the stored and the new item, one unit for each 1 KB begun, and twice that in a transaction.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function capacityOf(action: string, input: unknown, status: number, answer: unknown): Capacity {
  if (status !== 200) return refusedCapacity(input, answer);
  if (action === 'BatchExecuteStatement') return statementsCapacity(answer);
  const sums = unitSums(answer);
  return writes.test(action)
    ? { writeUnits: sums, readUnits: noUnits, isRefused: false }
    : { writeUnits: noUnits, readUnits: sums, isRefused: false };
}

function unitSums(answer: unknown): Units {
  const sums: Record<string, number> = {};
  for (const { Table, GlobalSecondaryIndexes } of answered.parse(answer).ConsumedCapacity) {
    const parts = [['table', Table] as const, ...Object.entries(GlobalSecondaryIndexes)];
    for (const [name, part] of parts) {
      if (part !== undefined && part.CapacityUnits > 0) sums[name] = (sums[name] ?? 0) + part.CapacityUnits;
    }
  }
  return sums;
}

/** Also those that their condition refused. */
function statementsCapacity(answer: unknown): Capacity {
  const { Responses } = statements.parse(answer);
  const isRefused = Responses.every(({ Error: refusal }) => refusal !== undefined);
  return { writeUnits: unitSums(answer), readUnits: noUnits, isRefused };
}

function refusedCapacity(input: unknown, answer: unknown): Capacity {
  const { __type: type, Item: stored } = failed.parse(answer);
  const table = type.endsWith('ConditionalCheckFailedException')
    ? writeUnitsOf(stored, put.parse(input).Item)
    : type.endsWith('TransactionCanceledException')
      ? transactionUnits(input)
      : 0;
  return { writeUnits: table === 0 ? noUnits : { table }, readUnits: noUnits, isRefused: table > 0 };
}

function transactionUnits(input: unknown): number {
  const parts = transaction.parse(input).TransactItems.flatMap((part) => Object.values(part));
  return parts.reduce((sum, { Item }) => sum + 2 * writeUnitsOf({}, Item), 0);
}

function writeUnitsOf(stored: Item, written: Item): number {
  const bytes = Math.max(itemBytes(stored), itemBytes(written));
  return Math.max(1, Math.ceil(bytes / writeUnitBytes));
}

const sizes = z.looseObject({
  MessageBody: z.string().optional(),
  MessageAttributes: z.unknown().optional(),
});
const sent = sizes.extend({ QueueUrl: z.string(), Entries: z.array(sizes).optional() });

/** SQS bills a request for each 64 KB of messages, and one for a call without any. */
const requestBytes = 64 * 1024;

/** Reads the name of the queue, and how many requests a call of a function is billed as. */
export function queueCapacityOf(input: unknown): { readonly queue: string; readonly requests: number } {
  const { QueueUrl, Entries, ...single } = sent.parse(input);
  const bytes = (Entries ?? [single]).reduce((sum, message) => sum + messageBytes(message), 0);
  const queue = QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1);
  return { queue, requests: Math.max(1, Math.ceil(bytes / requestBytes)) };
}

function messageBytes({ MessageBody = '', MessageAttributes }: z.infer<typeof sizes>): number {
  const attributes = MessageAttributes === undefined ? '' : JSON.stringify(MessageAttributes);
  return Buffer.byteLength(MessageBody) + Buffer.byteLength(attributes);
}
