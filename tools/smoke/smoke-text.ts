import { coloured } from '../operator/cli/colour.ts';
import { counted, recordTable } from '../operator/cli/text-table.ts';
import type { SmokeResult } from './run-smoke.ts';
import type { StepResult } from './steps.ts';

type Shown = {
  readonly place: { readonly stage: string | null; readonly api_url: string; readonly receiver: string };
  readonly result: SmokeResult;
};

/** One line for each step as it ends. */
export function stepLine({ step, outcome, duration_ms }: StepResult): string {
  return outcome === 'not_run'
    ? `${step}: not run`
    : `${step}: ${coloured(outcome, process.stderr)} in ${seconds(duration_ms)}`;
}

/** The result for a person: a table of the steps, failed checks, checks that are not run, and what is left. */
export function outcomeLines({ place, result }: Shown): readonly string[] {
  const { stage, api_url, receiver } = place;
  return [
    `${stage === null ? 'The local stack' : `Stage ${stage}`} at ${api_url}, receiver ${receiver}`,
    '',
    ...recordTable(result.steps, {
      STEP: 'step',
      RESULT: ({ outcome }) => outcome.replace('_', ' '),
      TIME: ({ outcome, duration_ms }) => (outcome === 'not_run' ? null : seconds(duration_ms)),
      DETAIL: 'detail',
    }),
    ...failedChecks(result),
    '',
    ...notRun(result).map(({ count, reason }) => `Not run: ${counted(count, 'conformance check')}, because ${reason}`),
    ...result.leftBehind.map(({ what, command }) => `Still there: ${what}. Remove it with: ${command}`),
  ];
}

/** The result for a program. */
export function outcomeJson({ place, result }: Shown) {
  const { steps, delivery, checks, customers, leftBehind } = result;
  return {
    ...place,
    passed: hasPassed(result),
    steps,
    delivery,
    checks: {
      passed: checks.filter(({ outcome }) => outcome === 'passed').length,
      failed: checks
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ heading, section, name, reason = null, expected = null, got = null }) => {
          return { heading, section, name, reason, expected, got };
        }),
      not_run: notRun(result),
    },
    customers,
    still_there: leftBehind,
  };
}

/** @throws Error when a step failed or something was not removed */
export function throwUnlessPassed(result: SmokeResult): void {
  const failed = result.steps.filter(({ outcome }) => outcome === 'failed');
  if (failed.length > 0) {
    throw new Error(`The smoke test failed: ${failed.map(({ step, detail }) => `${step} (${detail})`).join('; ')}`);
  }
  if (!hasPassed(result)) throw new Error('The smoke test was stopped, or could not remove what it made');
}

function hasPassed({ steps, delivery, wasStopped, leftBehind }: SmokeResult): boolean {
  const hasFailed = steps.some(({ outcome }) => outcome === 'failed');
  return !hasFailed && !wasStopped && delivery !== null && leftBehind.length === 0;
}

/** The checks that were not run, counted by the reason. */
function notRun({ checks }: SmokeResult) {
  const reasons = checks.filter(({ outcome }) => outcome === 'skipped').map(({ reason = '' }) => reason);
  const groups = [...Map.groupBy(reasons, (reason) => reason)];
  return groups.map(([reason, { length: count }]) => ({ count, reason }));
}

function failedChecks({ checks }: SmokeResult): readonly string[] {
  return checks
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ heading, section, name, reason, expected, got }) => [
      '',
      `FAILED  ${heading} / ${section}: ${name}`,
      ...(expected === undefined ? [] : [`        expected ${expected}, got ${got ?? 'nothing'}`]),
      ...(reason === undefined ? [] : [`        ${reason}`]),
    ]);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
