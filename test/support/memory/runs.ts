import type { AskTable } from './io.ts';
import type { MemoryTable, RunRow } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';
import { storedReport, storedReportPlace, storedRun, storedRunWithFanOut } from './stored.ts';

const unknown: RunRow = { open: null, settled: null, fanOut: null };

const nameOf = (customerId: string, id: string): string => `${customerId}#${id}`;

export function runPorts(table: MemoryTable, ask: AskTable) {
  const { runs, reports, reportPlaces } = table;
  const rowOf = (name: string): RunRow => runs.get(name) ?? unknown;
  return {
    storeOpenRun: (customerId, run) =>
      ask('store run', () => {
        const name = nameOf(customerId, run.id);
        const row = rowOf(name);
        const isKept = row.settled !== null || (run.status === 'queued' && row.open !== null);
        if (!isKept) runs.set(name, { ...row, open: run });
      }),

    storeSettledRun: (customerId, run) =>
      ask('settle run', () => {
        const name = nameOf(customerId, run.id);
        const row = rowOf(name);
        if (row.settled !== null) return row.settled;
        const settled = storedRun(run);
        runs.set(name, { ...row, open: null, settled });
        return settled;
      }),

    storeSettledRunWithFanOut: (customerId, run, fanOut) =>
      ask('settle run with fan-out', () => {
        const name = nameOf(customerId, run.id);
        const row = rowOf(name);
        if (row.settled !== null && row.fanOut !== null) return { run: row.settled, fanOut: row.fanOut };
        const told = storedRunWithFanOut(run, fanOut);
        const settled = row.settled ?? told.run;
        runs.set(name, { open: null, settled, fanOut: told.fanOut });
        table.putFanOut(customerId, run.id, told.fanOut);
        return { run: settled, fanOut: told.fanOut };
      }),

    /** Two writes, like the adapter: the first message about a report decides its place, the second stores it there. */
    storeChangeReport: async (customerId, { trackerId, report, run }, fanOut) => {
      const name = nameOf(customerId, report.id);
      const place = await ask('place report', () => {
        const first = { trackerId, createdAt: report.created_at };
        const taken = reportPlaces.get(name) ?? storedReportPlace(customerId, report.id, first);
        reportPlaces.set(name, taken);
        return taken;
      });
      return ask('store report with fan-out', () => {
        const row = `${name}#${place.trackerId}#${place.createdAt}`;
        const known = reports.get(row);
        if (known !== undefined) return known;
        const told = storedReport(customerId, place, { report, run }, fanOut);
        reports.set(row, told);
        table.putFanOut(customerId, report.id, told.fanOut);
        return told;
      });
    },
  } satisfies Partial<TableNeeds>;
}
