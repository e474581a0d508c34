import { logTables } from './log-tables.ts';
import { memoryTables } from './memory-tables.ts';
import { neighbourTables } from './neighbour-tables.ts';
import { outageTables } from './outage-tables.ts';
import { quotaTables } from './quota-tables.ts';
import { rateTables } from './rate-tables.ts';

/** The tables of docs/scaling.md in Markdown, by the name of their marker in the page. */
export function scalingTables(): Readonly<Record<string, string>> {
  return {
    ...rateTables(),
    ...quotaTables(),
    ...memoryTables(),
    ...logTables(),
    ...outageTables(),
    ...neighbourTables(),
  };
}
