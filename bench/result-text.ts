import { textTable } from '../operator/text-table.ts';
import type { BenchResult, BenchTable, Cell } from './bench.ts';

/** The tables of a result for a terminal. */
export function resultText({ tables }: BenchResult): string {
  return tables.map(tableText).join('\n\n');
}

function tableText({ title, columns, rows, notes = [] }: BenchTable): string {
  const lines = textTable(
    columns,
    rows.map((row) => row.map(cellText)),
  );
  return [title, '', ...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

/** A number with three significant digits, and with all digits before the point. */
export function cellText(cell: Cell): string | null {
  if (typeof cell !== 'number') return cell;
  if (!Number.isFinite(cell)) return '-';
  if (Number.isInteger(cell) || Math.abs(cell) >= 100) return String(Math.round(cell));
  return String(Number(cell.toPrecision(3)));
}
