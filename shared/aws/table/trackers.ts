import type { Table } from '#shared/aws/clients.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { ReadChangeReports, ReadTracker } from '#shared/operations/customer/list-change-reports.ts';
import type {
  GivenReport,
  StoreChangeReport,
  StoreTracker,
} from '#shared/operations/intake/accept-intake.ts';
import {
  fromChangeReportItem,
  fromReportPlaceItem,
  fromToldReportItem,
  type ReportPlace,
  toChangeReportItem,
  toReportPlaceItem,
} from './change-report-item.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { changeReportPrefix, type ItemKey, trackerKey } from './keys.ts';
import { readSorted } from './result-pages.ts';
import { fromTrackerItem, toTrackerItem } from './tracker-item.ts';

export function readTracker(table: Table): ReadTracker {
  return async (customerId, trackerId) => {
    const { Item } = await table.client.get({
      TableName: table.name,
      Key: trackerKey(customerId, trackerId),
      ConsistentRead: true,
    });
    return Item === undefined ? null : fromTrackerItem(Item);
  };
}

export function readChangeReports(table: Table): ReadChangeReports {
  return (customerId, trackerId, page) => {
    const list = { pk: trackerKey(customerId, trackerId).pk, prefix: changeReportPrefix };
    return readSorted(table, list, page, fromChangeReportItem);
  };
}

export function storeTracker(table: Table): StoreTracker {
  return async (customerId, tracker) => {
    await table.client.put({ TableName: table.name, Item: toTrackerItem(customerId, tracker) });
  };
}

/**
 * Stores a report once. A row under the id of the report records its place in the lists, so a second message with the
 * same id cannot move it. The report and its event are stored at that place in one write. A worker that dies between
 * the two writes leaves a place without a report, which the next message fills.
 */
export function storeChangeReport(table: Table): StoreChangeReport {
  return async (customerId, given, fanOut) => {
    const { id, created_at: createdAt } = given.report;
    const place = await takePlace(table, customerId, id, { trackerId: given.trackerId, createdAt });
    return storeAt(table, customerId, place, given, fanOut);
  };
}

/** @returns the place of the report: the given one, or the one that an earlier message stored */
async function takePlace(
  table: Table,
  customerId: string,
  reportId: string,
  place: ReportPlace,
): Promise<ReportPlace> {
  const taken = await putOnce(table, toReportPlaceItem(customerId, reportId, place));
  return taken === null ? place : fromReportPlaceItem(taken);
}

async function storeAt(
  table: Table,
  customerId: string,
  place: ReportPlace,
  { report, run }: GivenReport,
  fanOut: FanOut,
) {
  const item = toChangeReportItem(customerId, place, report, run, fanOut);
  const stored = await putOnce(table, item);
  const event = stored === null ? { run, fanOut } : fromToldReportItem(stored);
  return { trackerId: place.trackerId, run: event.run ?? run, fanOut: event.fanOut };
}

/** @returns the existing item, or `null` when the given one was stored */
async function putOnce(table: Table, Item: ItemKey & Readonly<Record<string, unknown>>): Promise<unknown> {
  const result = await orRefused(
    table.client.put({
      TableName: table.name,
      Item,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  return isRefused(result) ? result.item : null;
}
