import { connectTable, type Table } from '#shared/aws/clients.ts';
import type { TelemetryEvent } from '#shared/operations/ports.ts';

/** The table of a stage, for one command: rows that it cannot read are named where errors are printed. */
export function operatorTable(name: string): Table {
  return connectTable(name, warn);
}

function warn(event: TelemetryEvent): void {
  if (event.name !== 'row.unreadable') return;
  const { kind, key, fault } = event;
  process.stderr.write(`Cannot read the ${kind} at ${key.pk} ${key.sk}, which is left out: ${fault}\n`);
}
