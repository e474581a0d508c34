import type { UpdateCommandInput, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { OpenRun, SettledRun } from '#shared/contract/records/given-results.ts';
import type { StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { ReadRun } from '#shared/operations/customer/list-run-items.ts';
import type { ReadRuns } from '#shared/operations/customer/list-runs.ts';
import type {
  StoreOpenRun,
  StoreSettledRun,
  StoreSettledRunWithFanOut,
} from '#shared/operations/intake/accept-intake.ts';
import type { Backoff } from './backoff.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { runKey, runsPartition } from './keys.ts';
import { readListed } from './result-pages.ts';
import { fromRunItem, fromSettledItem, fromToldItem, toRunPlace, toRunText } from './run-item.ts';

const { listed } = tableSchema.indexes;

const isUnsettled = 'attribute_not_exists(settled)';
/** The number of Change Reports keeps the item of a Run small, whatever the engine sends. */
const maxNamedReports = 100;
const isUnsettledOrNamesNot =
  '(attribute_not_exists(settled) OR attribute_not_exists(change_reports) OR (NOT contains(change_reports, :report) AND size(change_reports) < :max))';
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
    const { expression, values } = placeValues(customerId, run);
    await orRefused(
      table.client.update({
        TableName: table.name,
        Key: runKey(customerId, run.id),
        UpdateExpression: `SET #open = :run, ${expression}`,
        ConditionExpression: run.status === 'running' ? isUnsettled : `${isUnsettled} AND ${isUnknown}`,
        ExpressionAttributeNames: { '#open': 'open' },
        ExpressionAttributeValues: { ':run': toRunText(run), ...values },
      }),
    );
  };
}

export function storeSettledRun(table: Table): StoreSettledRun {
  return async (customerId, run, reportId) => {
    const input =
      reportId === undefined
        ? settleInput(table.name, customerId, run, null)
        : reportInput(table.name, customerId, run, reportId);
    const result = await orRefused(table.client.update(input));
    return isRefused(result) ? fromSettledItem(result.item) : (settledBefore(result) ?? run);
  };
}

/** Settles a Run, and names its Change Report, by which the event about the report is found. */
function reportInput(
  tableName: string,
  customerId: string,
  run: SettledRun,
  reportId: string,
): UpdateCommandInput {
  const input = settleInput(tableName, customerId, run, null);
  return {
    ...input,
    UpdateExpression: `${input.UpdateExpression} ADD change_reports :reports`,
    ConditionExpression: isUnsettledOrNamesNot,
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ':report': reportId,
      ':reports': new Set([reportId]),
      ':max': maxNamedReports,
    },
  };
}

export function storeSettledRunWithFanOut(table: Table): StoreSettledRunWithFanOut {
  return async (customerId, run, fanOut) => {
    const result = await orRefused(table.client.update(settleInput(table.name, customerId, run, fanOut)));
    return isRefused(result) ? fromToldItem(result.item) : { run: settledBefore(result) ?? run, fanOut };
  };
}

/** The settled Run that an earlier message stored; the write keeps it. */
function settledBefore({ Attributes }: Pick<UpdateCommandOutput, 'Attributes'>): StoredSettledRun | null {
  return Attributes?.settled === undefined ? null : fromSettledItem(Attributes);
}

export function settleInput(
  tableName: string,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut | null,
): UpdateCommandInput {
  const { expression, values } = placeValues(customerId, run);
  return {
    TableName: tableName,
    Key: runKey(customerId, run.id),
    UpdateExpression: `SET settled = if_not_exists(settled, :run), ${expression}${fanOut === null ? '' : ', fan_out = :fan_out'} REMOVE #open`,
    ConditionExpression: fanOut === null ? isUnsettled : 'attribute_not_exists(fan_out)',
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: {
      ':run': toRunText(run),
      ...values,
      ...(fanOut === null ? {} : { ':fan_out': fanOut }),
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
