import { textTable } from '../../operator/text-table.ts';
import type { Spread } from '../percentiles.ts';

/** One row of the result: a measured or modelled spread, and the spread to compare it with. */
export type Row = {
  readonly what: string;
  readonly neighbour: string;
  readonly order: string;
  readonly spread: Spread;
  /** The same run without the slow endpoint; absent for that run itself. */
  readonly base?: Spread;
  /** Milliseconds after which a missing event counts as late. */
  readonly patienceMs: number;
};

const heads = [
  'from event to POST',
  'slow endpoint',
  'order',
  'p50',
  'p90',
  'p99',
  'max',
  'p99, with : without',
];

export function formatTable(rows: readonly Row[]): string {
  return textTable(heads, rows.map(cells)).join('\n');
}

function cells({ what, neighbour, order, spread, base, patienceMs }: Row): readonly (string | null)[] {
  const durations = [spread.p50, spread.p90, spread.p99, spread.max].map((ms) => formatMs(ms, patienceMs));
  return [what, neighbour, order, ...durations, base === undefined ? null : ratio(spread, base, patienceMs)];
}

function formatMs(ms: number, patienceMs: number): string {
  if (ms === Number.POSITIVE_INFINITY) return `> ${formatMs(patienceMs, patienceMs)}`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${ms < 10_000 ? (ms / 1_000).toFixed(1) : Math.round(ms / 1_000)} s`;
}

function ratio(spread: Spread, base: Spread, patienceMs: number): string {
  const isOpen = spread.p99 === Number.POSITIVE_INFINITY;
  const times = (isOpen ? patienceMs : spread.p99) / base.p99;
  return `${isOpen ? '> ' : ''}${times < 10 ? times.toFixed(1) : Math.round(times)} : 1`;
}
