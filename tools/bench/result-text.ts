import { textTable } from '../operator/cli/text-table.ts';
import type { BenchResult, BenchTable, Budget, Cell } from './bench.ts';

/** The tables of a result for a terminal; the last one compares with the budgets, if there are any. */
export function resultText({ tables, budgets }: BenchResult): string {
  const compared = budgets.length === 0 ? [] : [budgetTable(budgets)];
  return [...tables, ...compared].map(tableText).join('\n\n');
}

/** A value that could not be measured does not hold. */
export function isHeld({ measured, most }: Budget): boolean {
  return measured <= most;
}

function budgetTable(budgets: readonly Budget[]): BenchTable {
  return {
    title: 'Budgets',
    columns: ['', 'measured', 'at most', 'ratio', 'held'],
    rows: budgets.map((budget) => {
      const { label, measured, most } = budget;
      return [label, measured, most, measured / most, isHeld(budget) ? 'yes' : 'NO'];
    }),
  };
}

function tableText({ title, columns, rows, notes = [] }: BenchTable): string {
  const lines = textTable(
    columns,
    rows.map((row) => row.map(cellText)),
  );
  return [title, '', ...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

/** A number with three significant digits, and with all digits before the point. */
function cellText(cell: Cell): string | null {
  if (typeof cell !== 'number') return cell;
  if (!Number.isFinite(cell)) return '-';
  if (Number.isInteger(cell) || Math.abs(cell) >= 100) return String(Math.round(cell));
  return String(Number(cell.toPrecision(3)));
}
