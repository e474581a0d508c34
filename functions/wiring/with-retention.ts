import type { Table } from '#shared/aws/clients.ts';
import { countSetting } from '#shared/runtime/environment.ts';
import { now } from '#shared/runtime/system.ts';

/** The table of a function whose rows expire as the deployment says. */
export function withRetention(table: Table): Table {
  return { ...table, retention: { now, days: countSetting('retentionDays') } };
}
