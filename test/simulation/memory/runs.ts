import type { OpenRun, SettledRun, StoredChangeReport } from '../../../shared/contract/intake-message.ts';
import type { FanOut } from '../../../shared/operations/fan-out.ts';
import type { Io } from '../world/io.ts';
import type { MemoryTable, RunRow } from './memory-table.ts';

const unknown: RunRow = { open: null, settled: null, fanOut: null };

export function storeOpenRun(table: MemoryTable, io: Io) {
  return (customerId: string, run: OpenRun): Promise<void> =>
    io({ service: 'table', name: 'store run' }, () => {
      const row = rowOf(table, customerId, run.id);
      const isKept = row.settled !== null || (run.status === 'queued' && row.open !== null);
      if (!isKept) table.runs.set(nameOf(customerId, run.id), { ...row, open: run });
    });
}

export function storeSettledRun(table: MemoryTable, io: Io) {
  return (customerId: string, run: SettledRun): Promise<SettledRun> =>
    io({ service: 'table', name: 'settle run' }, () => {
      const row = rowOf(table, customerId, run.id);
      if (row.settled !== null) return row.settled;
      table.runs.set(nameOf(customerId, run.id), { ...row, open: null, settled: run });
      return run;
    });
}

export function storeSettledRunWithFanOut(table: MemoryTable, io: Io) {
  return (
    customerId: string,
    run: SettledRun,
    fanOut: FanOut,
  ): Promise<{ readonly run: SettledRun; readonly fanOut: FanOut }> =>
    io({ service: 'table', name: 'settle run with fan-out' }, () => {
      const row = rowOf(table, customerId, run.id);
      if (row.settled !== null && row.fanOut !== null) return { run: row.settled, fanOut: row.fanOut };
      const settled = row.settled ?? run;
      table.runs.set(nameOf(customerId, run.id), { open: null, settled, fanOut });
      table.putFanOut(customerId, run.id, fanOut);
      return { run: settled, fanOut };
    });
}

export function storeChangeReport(table: MemoryTable, io: Io) {
  return (
    customerId: string,
    trackerId: string,
    report: StoredChangeReport,
    fanOut: FanOut,
  ): Promise<FanOut> =>
    io({ service: 'table', name: 'store report with fan-out' }, () => {
      const name = `${customerId}#${trackerId}#${report.created_at}#${report.id}`;
      const known = table.reports.get(name);
      if (known !== undefined) return known;
      table.reports.set(name, fanOut);
      table.putFanOut(customerId, report.id, fanOut);
      return fanOut;
    });
}

function rowOf(table: MemoryTable, customerId: string, runId: string): RunRow {
  return table.runs.get(nameOf(customerId, runId)) ?? unknown;
}

function nameOf(customerId: string, runId: string): string {
  return `${customerId}#${runId}`;
}
