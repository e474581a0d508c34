import { totalUnits } from '../../bench/units/aws-call.ts';
import type { FunctionCall } from './budget-world.ts';
import { reasons } from './reasons.ts';

/** What one scenario costs. */
export type Measured = { readonly title: string; readonly calls: readonly FunctionCall[] };

type Row = {
  readonly name: string;
  calls: number;
  writeUnits: number;
  indexUnits: number;
  readUnits: number;
};

/** The Markdown text of a page of recorded budgets. */
export function budgetPage(heading: string, measured: readonly Measured[]): string {
  const sections = measured.map(({ title, calls }) => `## ${title}\n\n${budgetTable(calls)}\n`);
  const update =
    'Generated: `npm run record` records the present values. A change that makes a value larger needs a ' +
    'reason in its commit.';
  return [`# ${heading}`, '', ...wrapped(update), '', sections.join('\n')].join('\n');
}

function budgetTable(calls: readonly FunctionCall[]): string {
  const rows = rowsOf(calls);
  const sum = (key: 'calls' | 'writeUnits' | 'indexUnits' | 'readUnits') =>
    rows.reduce((total, row) => total + row[key], 0);
  const lines = [
    ['Call', 'Calls', 'Write units', 'of them on indexes', 'Read units', 'Reason'],
    ['---', '--:', '--:', '--:', '--:', '---'],
    ...rows.map(({ name, calls: count, writeUnits, indexUnits, readUnits }) => [
      name,
      ...[count, writeUnits, indexUnits, readUnits].map(String),
      reasons[name] ?? '**missing**',
    ]),
    ['Sum', ...[sum('calls'), sum('writeUnits'), sum('indexUnits'), sum('readUnits')].map(String), ''],
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One row for each kind of call, in the order of the names: parallel calls have no order. */
function rowsOf(calls: readonly FunctionCall[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const call of calls) {
    const name = callName(call);
    const row = rows.get(name) ?? { name, calls: 0, writeUnits: 0, indexUnits: 0, readUnits: 0 };
    row.calls += call.requests;
    row.writeUnits += totalUnits(call.writeUnits);
    row.indexUnits += totalUnits(call.writeUnits) - (call.writeUnits.table ?? 0);
    row.readUnits += totalUnits(call.readUnits);
    rows.set(name, row);
  }
  return [...rows.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The key of `reasons`. The functions of the API share theirs. */
export function callName({ folder, name, isRefused }: FunctionCall): string {
  const caller = folder.startsWith('api/') ? 'api' : folder;
  return `${caller}: ${name}${isRefused ? ', refused' : ''}`;
}

function wrapped(text: string): readonly string[] {
  return text.match(/.{1,110}(?:\s|$)/g)?.map((line) => line.trimEnd()) ?? [];
}
