import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import {
  type StoredChangeReport,
  type StoredTracker,
  storedChangeReport,
  storedTracker,
} from '../../contract/intake-message.ts';
import type { FanOut } from '../../operations/fan-out.ts';
import type { ReadChangeReports } from '../../operations/list-change-reports.ts';
import type { ReadTracker } from '../../operations/read-tracker.ts';
import type { Table } from '../clients.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { changeReportKey, changeReportPrefix, trackerKey } from './keys.ts';
import { readSorted } from './result-pages.ts';
import { fanOutItem } from './runs.ts';
import { storedJson } from './stored-json.ts';

const trackerItem = z.object({ tracker: storedJson.pipe(storedTracker) });
const reportItem = z.object({ report: storedJson.pipe(storedChangeReport) });
const reportFanOut = z.object({ fan_out: fanOutItem });

export function readTracker(table: Table): ReadTracker {
  return async (customerId, trackerId) => {
    const { Item } = await table.client.send(
      new GetCommand({
        TableName: table.name,
        Key: trackerKey(customerId, trackerId),
        ConsistentRead: true,
      }),
    );
    return Item === undefined ? null : trackerItem.parse(Item).tracker;
  };
}

export function readChangeReports(table: Table): ReadChangeReports {
  return async (customerId, trackerId, page) => {
    const list = { pk: trackerKey(customerId, trackerId).pk, prefix: changeReportPrefix };
    const { rows, next } = await readSorted(table, list, page);
    return { rows: rows.map((row) => reportItem.parse(row).report), next };
  };
}

export function storeTracker(table: Table) {
  return async (customerId: string, tracker: StoredTracker): Promise<void> => {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...trackerKey(customerId, tracker.id), tracker: JSON.stringify(tracker) },
      }),
    );
  };
}

/** Stores a Change Report with the fan-out of its event, unless it is stored. @returns the fan-out as stored */
export function storeChangeReport(table: Table) {
  return async (
    customerId: string,
    trackerId: string,
    report: StoredChangeReport,
    fanOut: FanOut,
  ): Promise<FanOut> => {
    const result = await orRefused(
      table.client.send(
        new PutCommand({
          TableName: table.name,
          Item: {
            ...changeReportKey(customerId, trackerId, report),
            report: JSON.stringify(report),
            fan_out: fanOut,
          },
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
    return isRefused(result) ? reportFanOut.parse(result.item).fan_out : fanOut;
  };
}
