import type {
  StoreChangeReport,
  StoreOpenRun,
  StoreSettledRun,
  StoreSettledRunWithFanOut,
} from '#shared/operations/intake/accept-intake.ts';
import type { Io } from './io.ts';
import type { MemoryTable, RunRow } from './memory-table.ts';
import { storedReport, storedReportPlace, storedRun, storedRunWithFanOut } from './stored.ts';

const unknown: RunRow = { open: null, settled: null, fanOut: null };

export function storeOpenRun(table: MemoryTable, io: Io): StoreOpenRun {
  return (customerId, run) =>
    io({ service: 'table', name: 'store run' }, () => {
      const row = rowOf(table, customerId, run.id);
      const isKept = row.settled !== null || (run.status === 'queued' && row.open !== null);
      if (!isKept) table.runs.set(nameOf(customerId, run.id), { ...row, open: run });
    });
}

export function storeSettledRun(table: MemoryTable, io: Io): StoreSettledRun {
  return (customerId, run) =>
    io({ service: 'table', name: 'settle run' }, () => {
      const row = rowOf(table, customerId, run.id);
      if (row.settled !== null) return row.settled;
      const settled = storedRun(run);
      table.runs.set(nameOf(customerId, run.id), { ...row, open: null, settled });
      return settled;
    });
}

export function storeSettledRunWithFanOut(table: MemoryTable, io: Io): StoreSettledRunWithFanOut {
  return (customerId, run, fanOut) =>
    io({ service: 'table', name: 'settle run with fan-out' }, () => {
      const row = rowOf(table, customerId, run.id);
      if (row.settled !== null && row.fanOut !== null) return { run: row.settled, fanOut: row.fanOut };
      const told = storedRunWithFanOut(run, fanOut);
      const settled = row.settled ?? told.run;
      table.runs.set(nameOf(customerId, run.id), { open: null, settled, fanOut: told.fanOut });
      table.putFanOut(customerId, run.id, told.fanOut);
      return { run: settled, fanOut: told.fanOut };
    });
}

/** Two writes, like the adapter: the first message about a report decides its place, the second stores it there. */
export function storeChangeReport(table: MemoryTable, io: Io): StoreChangeReport {
  return async (customerId, { trackerId, report, run }, fanOut) => {
    const name = nameOf(customerId, report.id);
    const place = await io({ service: 'table', name: 'place report' }, () => {
      const first = { trackerId, createdAt: report.created_at };
      const taken = table.reportPlaces.get(name) ?? storedReportPlace(customerId, report.id, first);
      table.reportPlaces.set(name, taken);
      return taken;
    });
    return io({ service: 'table', name: 'store report with fan-out' }, () => {
      const row = `${name}#${place.trackerId}#${place.createdAt}`;
      const known = table.reports.get(row);
      if (known !== undefined) return known;
      const told = storedReport(customerId, place, { report, run }, fanOut);
      table.reports.set(row, told);
      table.putFanOut(customerId, report.id, told.fanOut);
      return told;
    });
  };
}

function rowOf(table: MemoryTable, customerId: string, runId: string): RunRow {
  return table.runs.get(nameOf(customerId, runId)) ?? unknown;
}

function nameOf(customerId: string, runId: string): string {
  return `${customerId}#${runId}`;
}
