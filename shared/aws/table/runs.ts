import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import {
  type OpenRun,
  openRun,
  type SettledRun,
  type StoredRun,
  settledRun,
} from '../../contract/intake-message.ts';
import { tableSchema } from '../../contract/table-schema.ts';
import type { FanOut } from '../../operations/fan-out.ts';
import type { ReadRuns } from '../../operations/list-runs.ts';
import type { ReadRun } from '../../operations/read-run.ts';
import type { Table } from '../clients.ts';
import type { Backoff } from './backoff.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { type ItemKey, runKey, runsPartition } from './keys.ts';
import { readListed } from './result-pages.ts';
import { storedJson } from './stored-json.ts';

/**
 * A Run as one item. What it was while it worked and what it settled as are two attributes, so that a late message
 * about the first can never overwrite the second.
 */
const { listed } = tableSchema.indexes;

export const fanOutItem = z.object({
  eventId: z.string(),
  acceptedAt: z.number(),
  deliveries: z.array(z.object({ webhookId: z.string(), deliveryId: z.string() })),
});

const isUnsettled = 'attribute_not_exists(settled)';
const isUnknown = 'attribute_not_exists(#open)';

const settledItem = z.object({ settled: storedJson.pipe(settledRun) });
const place = { [listed.sortKey]: z.string() };
const runItem = z.union([settledItem.extend(place), z.object({ open: storedJson.pipe(openRun), ...place })]);
const settledItemWithFanOut = settledItem.extend({ fan_out: fanOutItem });

export function readRun(table: Table): ReadRun {
  return async (customerId, runId) => {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: runKey(customerId, runId), ConsistentRead: true }),
    );
    return Item === undefined ? null : fromRunItem(Item);
  };
}

export function readRuns(table: Table, backoff: Backoff): ReadRuns {
  return async (customerId, page) => {
    const { rows, next } = await readListed(table, backoff, runsPartition(customerId, 0), page);
    return { rows: rows.map(fromRunItem), next };
  };
}

/** A Run was created when the first message about it said so: that is where it stands in the list. */
function fromRunItem(stored: unknown): StoredRun {
  const item = runItem.parse(stored);
  const [created_at = ''] = item[listed.sortKey].split('#');
  return { ...('settled' in item ? item.settled : item.open), created_at };
}

/** Stores a Run that still works; a settled one stays as it is, and a running one is not queued again. */
export function storeOpenRun(table: Table) {
  return async (customerId: string, run: OpenRun): Promise<void> => {
    const { expression, values } = listedValues(customerId, run);
    await orRefused(
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: runKey(customerId, run.id),
          UpdateExpression: `SET #open = :run, ${expression}`,
          ConditionExpression: run.status === 'running' ? isUnsettled : `${isUnsettled} AND ${isUnknown}`,
          ExpressionAttributeNames: { '#open': 'open' },
          ExpressionAttributeValues: { ':run': JSON.stringify(run), ...values },
        }),
      ),
    );
  };
}

/** Settles a Run unless it is settled. @returns it as stored */
export function storeSettledRun(table: Table) {
  return async (customerId: string, run: SettledRun): Promise<SettledRun> => {
    const stored = await settle(table, settleInput(table.name, customerId, run, null));
    return settledItem.parse(stored).settled;
  };
}

/** Settles a Run together with the fan-out of its event, unless it has one. @returns both as stored */
export function storeSettledRunWithFanOut(table: Table) {
  return async (
    customerId: string,
    run: SettledRun,
    fanOut: FanOut,
  ): Promise<{ readonly run: SettledRun; readonly fanOut: FanOut }> => {
    const stored = await settle(table, settleInput(table.name, customerId, run, fanOut));
    const { settled, fan_out } = settledItemWithFanOut.parse(stored);
    return { run: settled, fanOut: fan_out };
  };
}

async function settle(table: Table, input: UpdateCommandInput): Promise<unknown> {
  const result = await orRefused(table.client.send(new UpdateCommand(input)));
  return isRefused(result) ? result.item : result.Attributes;
}

export function settleInput(
  tableName: string,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut | null,
): UpdateCommandInput {
  const { expression, values } = listedValues(customerId, run);
  return {
    TableName: tableName,
    Key: runKey(customerId, run.id),
    UpdateExpression: `SET settled = if_not_exists(settled, :run), ${expression}${fanOut === null ? '' : ', fan_out = :fan_out'} REMOVE #open`,
    ConditionExpression: fanOut === null ? isUnsettled : 'attribute_not_exists(fan_out)',
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: {
      ':run': JSON.stringify(run),
      ...values,
      ...(fanOut === null ? {} : { ':fan_out': fanOut }),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** Where a Run stands in its customer's list; fixed by the first message about it. */
function listedValues(customerId: string, run: { readonly id: string; readonly created_at: string }) {
  const key: ItemKey = { pk: runsPartition(customerId, 0), sk: `${run.created_at}#${run.id}` };
  return {
    expression: `${listed.partitionKey} = if_not_exists(${listed.partitionKey}, :listed_pk), ${listed.sortKey} = if_not_exists(${listed.sortKey}, :listed_sk)`,
    values: { ':listed_pk': key.pk, ':listed_sk': key.sk },
  };
}
