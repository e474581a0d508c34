import { billOf } from './bill.ts';
import type { FunctionCall } from './budget-world.ts';
import { reasons } from './reasons.ts';

/** What one scenario costs. */
export type Measured = { readonly title: string; readonly calls: readonly FunctionCall[] };

/** The Markdown text of a page of recorded budgets. */
export function budgetPage(heading: string, measured: readonly Measured[]): string {
  const sections = measured.map(({ title, calls }) => `## ${title}\n\n${budgetTable(calls)}\n`);
  const about = [
    'Generated: `npm run record` records the present values. A change that makes a value larger needs a ' +
      'reason in its commit.',
    'The last number is the list price in US dollars for a million: without the time of functions, their logs, ' +
      'API Gateway, and what an idle stage costs.',
  ];
  return [`# ${heading}`, ...about.map((text) => `\n${wrapped(text)}`), '', sections.join('\n')].join('\n');
}

function budgetTable(calls: readonly FunctionCall[]): string {
  // In the order of the names: parallel calls have no order.
  const groups = [...Map.groupBy(calls, callName)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = [
    ['Call', 'Calls', 'Write units', 'of them on indexes', 'Read units', 'USD, million', 'Reason'],
    ['---', '--:', '--:', '--:', '--:', '--:', '---'],
    ...groups.map(([name, group]) => [name, ...cellsOf(group), reasons[name] ?? '**missing**']),
    ['Sum', ...cellsOf(calls), ''],
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf(calls: readonly FunctionCall[]): readonly string[] {
  const { writeUnits, indexUnits, readUnits, usd } = billOf(calls);
  return [requestsOf(calls), ...[writeUnits, indexUnits, readUnits].map(String), usd.toFixed(2)];
}

/** Which writes share a request depends on their timing: at most, each has its own. */
function requestsOf(calls: readonly FunctionCall[]): string {
  const together = calls.filter(({ name }) => name.startsWith('BatchExecuteStatement'));
  const writes = [...Map.groupBy(together, callName).values()].map((group) => billOf(group).writeUnits);
  const most = billOf(calls).requests - together.length + writes.reduce((sum, count) => sum + count, 0);
  return writes.some((count) => count > 1) ? `≤ ${most}` : `${most}`;
}

/** The key of `reasons`. The functions of the API share theirs. */
export function callName({ folder, name, isRefused }: FunctionCall): string {
  const caller = folder.startsWith('api/') ? 'api' : folder;
  return `${caller}: ${name}${isRefused ? ', refused' : ''}`;
}

function wrapped(text: string): string {
  return (text.match(/.{1,110}(?:\s|$)/g) ?? []).map((line) => line.trimEnd()).join('\n');
}
