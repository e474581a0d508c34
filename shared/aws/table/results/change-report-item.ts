import * as z from 'zod/mini';
import { type StoredChangeReport, storedChangeReport } from '#shared/contract/records/stored-results.ts';
import type { EventRun } from '#shared/domain/event.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import { fanOutItem } from '../deliveries/fan-out-item.ts';
import { changeReportKey, changeReportPlaceKey } from '../keys.ts';
import { type ReadRow, reads, storedJson, storedRecord } from '../stored-row.ts';

/**
 * The place of a Change Report in the lists, stored under its id alone. The first message about the report decides it.
 */
export type ReportPlace = { readonly trackerId: string; readonly createdAt: string };

const storedPlace = storedRecord('Change Report place', { trackerId: z.string(), createdAt: z.string() });

export const fromReportPlaceItem: ReadRow<ReportPlace> = storedPlace.read;

export function toReportPlaceItem(customerId: string, reportId: string, place: ReportPlace) {
  return { ...changeReportPlaceKey(customerId, reportId), ...storedPlace.attributes(place) };
}

/** A Change Report with the Run of its event and its fan-out. */
export function toChangeReportItem(
  customerId: string,
  { trackerId, createdAt }: ReportPlace,
  report: StoredChangeReport,
  run: EventRun,
  fanOut: FanOut,
) {
  return {
    ...changeReportKey(customerId, trackerId, { id: report.id, created_at: createdAt }),
    report: JSON.stringify(report),
    run: JSON.stringify(run),
    fan_out: fanOut,
  };
}

export const fromChangeReportItem = reads(
  'Change Report',
  z.object({ sk: z.string(), report: z.pipe(storedJson, storedChangeReport) }),
  ({ sk, report }): StoredChangeReport => {
    const [, created_at = report.created_at] = sk.split('#');
    return { ...report, created_at };
  },
);

const eventRun = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  chargeUsd: z.number(),
  trackerId: z.nullable(z.string()),
}) satisfies z.ZodMiniType<EventRun>;

/** Reads the event of a stored Change Report. Rows of earlier releases have no Run. */
export const fromToldReportItem = reads(
  'Change Report',
  z.object({ run: z.optional(z.pipe(storedJson, eventRun)), fan_out: fanOutItem }),
  ({ run, fan_out }) => ({ run: run ?? null, fanOut: fan_out }),
);
