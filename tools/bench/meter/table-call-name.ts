import { z } from 'zod';
import { partitions, tableSchema } from '#shared/contract/table-schema.ts';
import { readStatements } from './statement.ts';

const keyText = z.object({ S: z.string() }).transform(({ S }) => S);
const itemKey = z.object({ [tableSchema.partitionKey]: keyText, [tableSchema.sortKey]: keyText });
const update = z.looseObject({
  UpdateExpression: z.string().default(''),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
});
const query = z.looseObject({
  IndexName: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()),
});

/** Sort keys below a customer that have no prefix of their own come last: `WEBHOOKS` is also a prefix of the endpoints. */
const kinds: readonly (readonly [partition: string, sort: string, kind: string])[] = [
  [partitions.customer, 'CUSTOMER', 'Customer'],
  [partitions.customer, `WEBHOOKS#`, 'Endpoint'],
  [partitions.customer, 'WEBHOOKS', 'Slots'],
  [partitions.customer, 'DELETED#', 'Tombstone'],
  [partitions.customer, 'DELETED_AT#', 'Deletion'],
  [partitions.customer, 'TOMBSTONE#', 'Earlier tombstone'],
  [partitions.customer, 'KEY#', 'API key list'],
  [partitions.customerList, '', 'Customer list'],
  [partitions.customerReference, '', 'Customer reference'],
  [partitions.apiKey, '', 'API key'],
  [partitions.portalLink, 'PORTAL_LINK', 'Portal link'],
  [partitions.portalLink, '', 'Portal link list'],
  [partitions.connection, '', 'Connection'],
  [partitions.rateWindow, '', 'Rate window'],
  [partitions.deliveries, '', 'Delivery'],
  [partitions.eventReplays, '', 'Event replay'],
  [partitions.bulkReplays, 'RUNNING', 'Running replay'],
  [partitions.bulkReplays, 'TALLY#', 'Tally'],
  [partitions.bulkReplays, '', 'Bulk replay'],
  [partitions.activity, '', 'Activity'],
  [partitions.request, '', 'Request'],
  [partitions.run, 'RUN', 'Run'],
  [partitions.run, 'ITEM#', 'Run item'],
  [partitions.run, 'VERSION#', 'Run item version'],
  [partitions.runList, '', 'Run'],
  [partitions.tracker, 'TRACKER', 'Tracker'],
  [partitions.tracker, 'REPORT#', 'Change Report'],
  [partitions.changeReport, '', 'Change Report place'],
  [partitions.creator, 'CREATOR', 'Creator'],
  [partitions.creator, '', 'Creator video'],
  [partitions.cursorSecret, '', 'Cursor secret'],
  [partitions.waiting, '', 'Waiting delivery'],
];

/** Updates of the same kind of item that have different purposes, by an attribute that each sets. */
const purposes: readonly (readonly [kind: string, attribute: string, purpose: string])[] = [
  ['Delivery', 'claim_token', 'claim'],
  ['Delivery', 'log', 'record'],
  ['Delivery', 'attempts', 'release'],
  ['Delivery', tableSchema.indexes.waiting.sortKey, 'postpone'],
  ['Bulk replay', 'step', 'advance'],
  ['Bulk replay', 'lease_until', 'claim'],
  ['Endpoint', 'last_delivery_at', 'note last attempt'],
  ['Endpoint', 'slow_since', 'note speed'],
  ['Endpoint', 'failing_since', 'note health'],
  ['Endpoint', 'activated_at', 'activate'],
  ['Endpoint', 'secret', 'rotate'],
  ['Run', 'settled', 'settle'],
];

/** Whether an action of DynamoDB reads or writes items, so that it consumes capacity. */
export function actsOnItems(action: string): boolean {
  return /^(Query|(Batch)?GetItem|BatchWriteItem|BatchExecuteStatement|TransactWriteItems|(Put|Update|Delete)Item)$/.test(
    action,
  );
}

/**
 * The name of a DynamoDB call for reports: its action and the kinds of items as docs/table.md names them. Unknown kinds
 * are named by their partition key.
 */
export function tableCallName(action: string, input: unknown): string {
  if (action === 'Query') return queryName(input);
  if (action === 'BatchExecuteStatement') return statementsName(input);
  const named = [...new Set(kindsIn(input))].join(' + ');
  const purpose = action === 'UpdateItem' ? purposeOf(named, attributesSet(input)) : undefined;
  return purpose === undefined ? `${action} ${named}` : `${action} ${named}, ${purpose}`;
}

/** `BatchExecuteStatement Delivery, claim + record` */
function statementsName(input: unknown): string {
  const named = readStatements(input).map(({ kind, item, attributes }) => {
    const [of = ''] = kindsIn(item);
    return [of, kind === 'INSERT' ? 'insert' : (purposeOf(of, attributes) ?? '')] as const;
  });
  const kinds = [...new Set(named.map(([of]) => of))].join(' + ');
  return `BatchExecuteStatement ${kinds}, ${[...new Set(named.map(([, purpose]) => purpose))].join(' + ')}`;
}

/** The kinds of the items and keys in a request, wherever they are. */
function kindsIn(part: unknown): readonly string[] {
  const { success, data } = itemKey.safeParse(part);
  if (success) return [kindOf(data[tableSchema.partitionKey] ?? '', data[tableSchema.sortKey] ?? '')];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(kindsIn) : [];
}

/** The values of a key condition are the partition key and the bounds of the sort key, in any order. */
function queryName(input: unknown): string {
  const { IndexName, ExpressionAttributeValues } = query.parse(input);
  const values = Object.values(ExpressionAttributeValues).flatMap((value) => keyText.safeParse(value).data ?? []);
  const partition = values.find((value) => kinds.some(([prefix]) => value.startsWith(prefix))) ?? '';
  const sort = values.find((value) => value !== partition) ?? '';
  const index = IndexName === undefined ? '' : `, index ${IndexName}`;
  return `Query ${kindOf(partition, sort)}${index}`;
}

function kindOf(partition: string, sort: string): string {
  const found = kinds.find(([pk, sk]) => partition.startsWith(pk) && sort.startsWith(sk));
  return found?.[2] ?? partition.replace(/#.*/, '');
}

function attributesSet(input: unknown): readonly string[] {
  const { UpdateExpression, ExpressionAttributeNames } = update.parse(input);
  const [assignments = ''] = UpdateExpression.split(/\b(?:REMOVE|ADD|DELETE)\b/);
  return [...assignments.matchAll(/(?:SET|,)\s*(#?\w+)\s*=/g)].map(
    ([, name = '']) => ExpressionAttributeNames[name] ?? name,
  );
}

function purposeOf(kind: string, attributes: readonly string[]): string | undefined {
  return purposes.find(([of, attribute]) => of === kind && attributes.includes(attribute))?.[2];
}
