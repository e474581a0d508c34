import type { UpdateCommandInput, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { OpenRun, SettledRun } from '#shared/contract/records/given-results.ts';
import type { StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { Retention } from '#shared/domain/retention.ts';
import type { ReadRun } from '#shared/operations/customer/list-run-items.ts';
import type { ReadRuns } from '#shared/operations/customer/list-runs.ts';
import type {
  StoreOpenRun,
  StoreSettledRun,
  StoreSettledRunWithFanOut,
} from '#shared/operations/intake/accept-intake.ts';
import type { Backoff } from './backoff.ts';
import { isRefused, orRefused, type Refused } from './conditional-write.ts';
import { expiryNow, expiryUpdate, metExpired, onlyExpired } from './expiry.ts';
import { runKey, runsPartition } from './keys.ts';
import { readListed } from './result-pages.ts';
import { fromRunItem, fromSettledItem, fromToldItem, toRunPlace, toRunText } from './run-item.ts';

const { listed } = tableSchema.indexes;

const isUnsettled = 'attribute_not_exists(settled)';
const isUnknown = 'attribute_not_exists(#open)';

export function readRun(table: Table): ReadRun {
  return async (customerId, runId) => {
    const { Item } = await table.client.get({
      TableName: table.name,
      Key: runKey(customerId, runId),
      ConsistentRead: true,
    });
    return Item === undefined ? null : fromRunItem(Item);
  };
}

export function readRuns(table: Table, backoff: Backoff): ReadRuns {
  return (customerId, page) => readListed(table, backoff, runsPartition(customerId, 0), page, fromRunItem);
}

/** A running Run does not become queued again. */
export function storeOpenRun(table: Table): StoreOpenRun {
  return async (customerId, run) => {
    const input = openInput(table.name, customerId, run, table.retention);
    await writeRun(table, input, customerId, run, { open: toRunText(run) });
  };
}

function openInput(
  tableName: string,
  customerId: string,
  run: OpenRun,
  retention: Retention | undefined,
): UpdateCommandInput {
  const { expression, values } = placeValues(customerId, run);
  const { set, removed, values: expiryValues } = expiryUpdate(retention);
  return {
    TableName: tableName,
    Key: runKey(customerId, run.id),
    UpdateExpression: `SET #open = :run, ${expression}${set}${removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`}`,
    ConditionExpression: run.status === 'running' ? isUnsettled : `${isUnsettled} AND ${isUnknown}`,
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: { ':run': toRunText(run), ...values, ...expiryValues },
    ...(retention === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  };
}

type Written = Pick<UpdateCommandOutput, 'Attributes'>;

/**
 * Writes a Run. A Run that has expired is replaced, as if DynamoDB had removed it.
 *
 * @param state the attributes of a Run that is stored for the first time, beside its place and its expiry
 */
async function writeRun(
  table: Table,
  input: UpdateCommandInput,
  customerId: string,
  run: OpenRun | SettledRun,
  state: Readonly<Record<string, unknown>>,
): Promise<Written | Refused> {
  const { client, retention } = table;
  const result = await orRefused<Written>(client.update(input));
  if (!isRefused(result) || retention === undefined || !metExpired(result, retention)) return result;
  const { condition, values } = onlyExpired(retention);
  const replaced = await orRefused<Written>(
    client.put({
      TableName: table.name,
      Item: {
        ...runKey(customerId, run.id),
        ...state,
        ...toRunPlace(customerId, run),
        ...expiryNow(retention),
      },
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
    }),
  );
  // Another message replaced it, or DynamoDB removed it: the first write then meets what it expects.
  return isRefused(replaced) ? orRefused<Written>(client.update(input)) : replaced;
}

export function storeSettledRun(table: Table): StoreSettledRun {
  return async (customerId, run) => {
    const result = await settle(table, customerId, run, null);
    return isRefused(result) ? fromSettledItem(result.item) : run;
  };
}

export function storeSettledRunWithFanOut(table: Table): StoreSettledRunWithFanOut {
  return async (customerId, run, fanOut) => {
    const result = await settle(table, customerId, run, fanOut);
    return isRefused(result) ? fromToldItem(result.item) : { run: settledBefore(result) ?? run, fanOut };
  };
}

function settle(table: Table, customerId: string, run: SettledRun, fanOut: FanOut | null) {
  const input = settleInput(table.name, customerId, run, fanOut, table.retention);
  const state = { settled: toRunText(run), ...(fanOut === null ? {} : { fan_out: fanOut }) };
  return writeRun(table, input, customerId, run, state);
}

/** The settled Run that an earlier message without a fan-out stored; the write keeps it. */
function settledBefore({ Attributes }: Written): StoredSettledRun | null {
  return Attributes?.settled === undefined ? null : fromSettledItem(Attributes);
}

export function settleInput(
  tableName: string,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut | null,
  retention?: Retention,
): UpdateCommandInput {
  const { expression, values } = placeValues(customerId, run);
  const { set, removed, values: expiryValues } = expiryUpdate(retention);
  return {
    TableName: tableName,
    Key: runKey(customerId, run.id),
    UpdateExpression: `SET settled = if_not_exists(settled, :run), ${expression}${fanOut === null ? '' : ', fan_out = :fan_out'}${set} REMOVE ${['#open', ...removed].join(', ')}`,
    ConditionExpression: fanOut === null ? isUnsettled : 'attribute_not_exists(fan_out)',
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: {
      ':run': toRunText(run),
      ...values,
      ...(fanOut === null ? {} : { ':fan_out': fanOut }),
      ...expiryValues,
    },
    // Nothing on the ordinary path, where the written values are known.
    ReturnValues: 'UPDATED_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function placeValues(customerId: string, run: OpenRun | SettledRun) {
  const place = toRunPlace(customerId, run);
  return {
    expression: `${listed.partitionKey} = if_not_exists(${listed.partitionKey}, :listed_pk), ${listed.sortKey} = if_not_exists(${listed.sortKey}, :listed_sk)`,
    values: { ':listed_pk': place[listed.partitionKey], ':listed_sk': place[listed.sortKey] },
  };
}
