import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import type { ReadFanOut } from '#shared/operations/operator/await-deliveries.ts';
import { changeReportKey, changeReportPlaceKey, runKey } from '../keys.ts';
import { fromReportPlaceItem } from '../results/change-report-item.ts';
import { readRow, reads } from '../stored-row.ts';
import { fanOutItem } from './fan-out-item.ts';

const fromSubjectItem = reads(
  'subject of an event',
  z.object({ fan_out: z.optional(fanOutItem) }),
  ({ fan_out }) => fan_out ?? null,
);

const fromRunSubjectItem = reads(
  'Run',
  z.object({ fan_out: z.optional(fanOutItem), change_reports: z._default(z.set(z.string()), new Set()) }),
  ({ fan_out, change_reports }) => ({ fanOut: fan_out ?? null, reportIds: [...change_reports] }),
);

/**
 * The ids of the events of a Run: of the one about the Run itself, and of those about the Change Reports that the Run
 * names, without reports that releases up to 0.2.0 stored. A report may belong to the event of another Run, because its
 * first message decides the event.
 */
export async function readRunEventIds(table: Table, customerId: string, runId: string): Promise<readonly string[]> {
  const run = await readRow(table, runKey(customerId, runId), fromRunSubjectItem);
  if (run === null) return [];
  const { fanOut, reportIds } = run;
  const readReport = readReportFanOut(table);
  const ofReports = await Promise.all(reportIds.map((id) => readReport(customerId, id)));
  return [fanOut, ...ofReports].flatMap((one) => one?.eventId ?? []);
}

/** A Run has a fan-out once it has settled. */
export function readRunFanOut(table: Table): ReadFanOut {
  return (customerId, runId) => readRow(table, runKey(customerId, runId), fromSubjectItem);
}

/** The place of a report, under its id alone, names the Tracker that it is stored under. */
export function readReportFanOut(table: Table): ReadFanOut {
  return async (customerId, id) => {
    const place = await readRow(table, changeReportPlaceKey(customerId, id), fromReportPlaceItem);
    if (place === null) return null;
    const key = changeReportKey(customerId, place.trackerId, { id, created_at: place.createdAt });
    return await readRow(table, key, fromSubjectItem);
  };
}
