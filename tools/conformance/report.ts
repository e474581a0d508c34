import type { CheckResult, SuiteResult } from './run-suite.ts';

const outcomes = ['passed', 'failed', 'skipped'] as const;

/** A table by heading and section, then failures, then skipped checks with their reasons, then the totals. */
export function report({ checks, requests, durationMs }: Omit<SuiteResult, 'sent'>): string {
  return [
    ...table(checks),
    ...checks.filter(({ outcome }) => outcome === 'failed').flatMap(failure),
    ...skips(checks),
    '',
    `${requests.all} requests in ${(durationMs / 1_000).toFixed(1)} s`,
    outcomes.map((outcome) => `${count(checks, outcome)} ${outcome}`).join(', '),
    '',
  ].join('\n');
}

function count(checks: readonly CheckResult[], wanted: CheckResult['outcome']): number {
  return checks.filter(({ outcome }) => outcome === wanted).length;
}

function table(checks: readonly CheckResult[]): readonly string[] {
  const rows = [...Map.groupBy(checks, ({ heading }) => heading)].flatMap(([heading, ofHeading]) => {
    const sections = [...Map.groupBy(ofHeading, ({ section }) => `  ${section}`)];
    return [[heading, ofHeading] as const, ...(sections.length > 1 ? sections : [])];
  });
  const width = Math.max(8, ...rows.map(([title]) => title.length));
  const line = (title: string, cells: readonly string[]) =>
    title.padEnd(width) + cells.map((cell) => cell.padStart(9)).join('');
  const cellsOf = (some: readonly CheckResult[]) =>
    outcomes.map((outcome) => String(count(some, outcome)).replace(/^0$/, '·'));
  return [line('', outcomes), ...rows.map(([title, some]) => line(title, cellsOf(some)))];
}

function failure({ heading, section, name, reason, expected, got }: CheckResult): readonly string[] {
  const why = reason === undefined ? [`expected ${expected}`, `got      ${got}`] : [reason];
  return ['', `FAILED  ${heading} / ${section}`, ...[name, ...why].map((text) => `        ${text}`)];
}

function skips(checks: readonly CheckResult[]): readonly string[] {
  const skipped = checks.filter(({ outcome }) => outcome === 'skipped');
  const byReason = [...Map.groupBy(skipped, ({ reason }) => reason)];
  const lines = byReason.map(([reason, { length }]) => `SKIPPED ${length}: ${reason}`);
  return lines.length === 0 ? [] : ['', ...lines];
}
