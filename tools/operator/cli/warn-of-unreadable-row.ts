import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';

/** Reports a row on standard error that this version cannot read and therefore skips. */
export function warnOfUnreadableRow(event: TelemetryEvent): void {
  if (event.name !== 'row.unreadable') return;
  const { kind, key, fault } = event;
  process.stderr.write(`Skipped the ${kind} at ${key.pk} ${key.sk}, which cannot be read: ${fault}\n`);
}
