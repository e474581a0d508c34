import type { TelemetryEvent } from '#shared/operations/ports.ts';

/** Names a row that this version cannot read, and therefore skips, on standard error. */
export function warnOfUnreadableRow(event: TelemetryEvent): void {
  if (event.name !== 'row.unreadable') return;
  const { kind, key, fault } = event;
  process.stderr.write(`Skipped the ${kind} at ${key.pk} ${key.sk}, which cannot be read: ${fault}\n`);
}
