import type { Spread } from '../percentiles.ts';

/** One line of the result: what was measured or modelled, and the line that it is compared with. */
export type Row = {
  readonly what: string;
  readonly neighbour: string;
  readonly order: string;
  readonly spread: Spread;
  /** The same without the slow endpoint, from the same run; of the base itself, none. */
  readonly base?: Spread;
  /** Milliseconds for which each event was watched for. */
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

/** The rows as a table that is both Markdown and readable in a terminal. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [heads, ...rows.map(cells)];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const join = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = join(widths.map((width) => '-'.repeat(width)));
  const [head = '', ...body] = lines.map(join);
  return [head, rule, ...body].join('\n');
}

function cells({ what, neighbour, order, spread, base, patienceMs }: Row): readonly string[] {
  const durations = [spread.p50, spread.p90, spread.p99, spread.max].map((ms) => formatMs(ms, patienceMs));
  return [what, neighbour, order, ...durations, base === undefined ? '' : ratio(spread, base, patienceMs)];
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
