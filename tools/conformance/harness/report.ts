import type { CheckResult, SuiteResult } from './runner.ts';

type Counts = { passed: number; failed: number; skipped: number };

/** A table by heading and section, then failures, then skipped checks with their reasons, then the totals. */
export function report(result: SuiteResult): string {
  const { passed, failed, skipped } = count(result.checks);
  return [
    ...table(result.checks),
    ...failures(result.checks),
    ...skips(result.checks),
    '',
    `${result.requests.all} requests in ${(result.durationMs / 1_000).toFixed(1)} s`,
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
    '',
  ].join('\n');
}

export function hasFailed(result: SuiteResult): boolean {
  return result.checks.some(({ outcome }) => outcome === 'failed');
}

function count(checks: readonly CheckResult[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of checks) counts[outcome] += 1;
  return counts;
}

function table(checks: readonly CheckResult[]): readonly string[] {
  const byHeading = Map.groupBy(checks, ({ heading }) => heading);
  const rows = [...byHeading].flatMap(([heading, ofHeading]) => {
    const bySection = Map.groupBy(ofHeading, ({ section }) => section);
    const sections = [...bySection].map(([section, ofSection]) => row(`  ${section}`, ofSection));
    return [row(heading, ofHeading), ...(sections.length > 1 ? sections : [])];
  });
  const width = Math.max(...rows.map(([title]) => title.length), 8);
  const line = ([title, ...cells]: readonly string[]) =>
    `${(title ?? '').padEnd(width)}${cells.map((cell) => cell.padStart(9)).join('')}`;
  return [line(['', 'passed', 'failed', 'skipped']), ...rows.map(line)];
}

function row(title: string, checks: readonly CheckResult[]): readonly [string, ...string[]] {
  const { passed, failed, skipped } = count(checks);
  return [title, ...[passed, failed, skipped].map((value) => (value === 0 ? '·' : String(value)))];
}

function failures(checks: readonly CheckResult[]): readonly string[] {
  return checks
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ heading, section, name, reason, expected, got }) => [
      '',
      `FAILED  ${heading} / ${section}`,
      `        ${name}`,
      ...(expected === undefined ? [] : [`        expected ${expected}`, `        got      ${got ?? ''}`]),
      ...(reason === undefined ? [] : [`        ${reason}`]),
    ]);
}

function skips(checks: readonly CheckResult[]): readonly string[] {
  const byReason = Map.groupBy(
    checks.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason }) => reason ?? 'no reason given',
  );
  if (byReason.size === 0) return [];
  return ['', ...[...byReason].map(([reason, ofReason]) => `SKIPPED ${ofReason.length}: ${reason}`)];
}
