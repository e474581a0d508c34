import type { Table } from '#shared/aws/clients.ts';
import type { GivenTracker } from '#shared/contract/records/given-results.ts';
import type { StoredChangeReport, StoredTracker } from '#shared/contract/records/stored-results.ts';
import type { EventRun } from '#shared/domain/event.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { isRefused, putIf } from '../conditional-write.ts';
import { dependentExpiryNow, expiryNow, orExpired } from '../expiry.ts';
import { changeReportPrefix, type ItemKey, trackerKey } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import {
  fromChangeReportItem,
  fromReportPlaceItem,
  fromToldReportItem,
  type ReportPlace,
  toChangeReportItem,
  toReportPlaceItem,
} from './change-report-item.ts';
import { readSorted } from './result-pages.ts';
import { fromTrackerItem, toTrackerItem } from './tracker-item.ts';

/** Strongly consistent; `null` when the customer has no Tracker with this id. */
export function readTracker(table: Table, customerId: string, trackerId: string): Promise<StoredTracker | null> {
  return readRow(table, trackerKey(customerId, trackerId), fromTrackerItem);
}

/** Reads the Change Reports of a Tracker by the time they were created, newest first; strongly consistent. */
export function readChangeReports(
  table: Table,
  customerId: string,
  trackerId: string,
  page: PageRequest,
): Promise<Rows<StoredChangeReport>> {
  const list = { pk: trackerKey(customerId, trackerId).pk, prefix: changeReportPrefix };
  return readSorted(table, list, page, fromChangeReportItem);
}

/** Stores a Tracker, replacing an earlier version. */
export async function storeTracker(table: Table, customerId: string, tracker: GivenTracker): Promise<void> {
  const Item = { ...toTrackerItem(customerId, tracker), ...expiryNow(table.retention) };
  await table.client.put({ TableName: table.name, Item });
}

/** The contents of a message about a Change Report. */
type GivenReport = {
  readonly trackerId: string;
  readonly report: StoredChangeReport;
  /** The Run that found the change. */
  readonly run: EventRun;
};

/** The facts of the event about a report, and its fan-out. */
type ToldReport = Pick<GivenReport, 'trackerId' | 'run'> & { readonly fanOut: FanOut };

/**
 * Stores a report with the fan-out of its event once: a second message with the same id creates neither another report
 * nor another event. A row under the id of the report records its place in the lists, so a second message cannot move
 * it. The report and its event are stored at that place in one write. A worker that dies between the two writes leaves a
 * place without a report, which the next message fills.
 *
 * @returns what the first message said
 */
export async function storeChangeReport(
  table: Table,
  customerId: string,
  given: GivenReport,
  fanOut: FanOut,
): Promise<ToldReport> {
  const { id, created_at: createdAt } = given.report;
  const place = await takePlace(table, customerId, id, { trackerId: given.trackerId, createdAt });
  return storeAt(table, customerId, place, given, fanOut);
}

/** @returns the place of the report: the given one, or the one that an earlier message stored */
async function takePlace(table: Table, customerId: string, reportId: string, place: ReportPlace): Promise<ReportPlace> {
  const item = { ...toReportPlaceItem(customerId, reportId, place), ...dependentExpiryNow(table.retention) };
  const taken = await putOnce(table, item);
  return taken === null ? place : fromReportPlaceItem(taken);
}

async function storeAt(
  table: Table,
  customerId: string,
  place: ReportPlace,
  { report, run }: GivenReport,
  fanOut: FanOut,
): Promise<ToldReport> {
  const item = {
    ...toChangeReportItem(customerId, place, report, run, fanOut),
    ...expiryNow(table.retention),
  };
  const stored = await putOnce(table, item);
  const event = stored === null ? { run, fanOut } : fromToldReportItem(stored);
  return { trackerId: place.trackerId, run: event.run ?? run, fanOut: event.fanOut };
}

/** Replaces an item that has expired. @returns the existing item, or `null` when the given one was stored */
async function putOnce(table: Table, Item: ItemKey & Readonly<Record<string, unknown>>): Promise<unknown> {
  const isFree = orExpired('attribute_not_exists(pk)', table.retention);
  const hasValues = Object.keys(isFree.values).length > 0;
  const result = await putIf(table, {
    Item,
    ConditionExpression: isFree.condition,
    ...(hasValues ? { ExpressionAttributeValues: isFree.values } : {}),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return isRefused(result) ? result.item : null;
}
