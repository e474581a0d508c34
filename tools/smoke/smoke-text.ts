import { textTable } from '../operator/cli/text-table.ts';
import { omittedChecks } from './conformance-checks.ts';
import type { SmokeResult } from './run-smoke.ts';
import type { StepResult } from './steps.ts';

type Shown = {
  readonly place: { readonly stage: string | null; readonly apiUrl: string; readonly receiver: string };
  readonly result: SmokeResult;
};

/** One line for each step as it ends. */
export function stepLine({ step, outcome, durationMs }: StepResult): string {
  return outcome === 'not run' ? `${step}: not run` : `${step}: ${outcome} in ${seconds(durationMs)}`;
}

/** The result for a person: a table of the steps, failed checks, checks that are not run, and what is left. */
export function outcomeLines({ place, result }: Shown): readonly string[] {
  const { stage, apiUrl, receiver } = place;
  const rows = result.steps.map(({ step, outcome, durationMs, detail }) => [
    step,
    outcome,
    outcome === 'not run' ? null : seconds(durationMs),
    detail,
  ]);
  return [
    `${stage === null ? 'The local stack' : `Stage ${stage}`} at ${apiUrl}, receiver ${receiver}`,
    '',
    ...textTable(['STEP', 'RESULT', 'TIME', 'DETAIL'], rows),
    ...failedChecks(result),
    '',
    ...omittedChecks().map(({ count, reason }) => `Not run: ${count} conformance checks that ${reason}`),
    ...result.leftBehind.map(({ what, command }) => `Still there: ${what}. Remove it with: ${command}`),
  ];
}

/** The result for a program. */
export function outcomeJson({ place, result }: Shown) {
  const { steps, delivered, checks, customers, leftBehind } = result;
  return {
    stage: place.stage,
    api_url: place.apiUrl,
    receiver: place.receiver,
    passed: hasPassed(result),
    steps: steps.map(({ step, outcome, durationMs, detail }) => ({
      step,
      outcome: outcome.replace(' ', '_'),
      duration_ms: durationMs,
      detail,
    })),
    delivery:
      delivered === null
        ? null
        : {
            id: delivered.id,
            event_id: delivered.eventId,
            accepted_to_post_ms: delivered.acceptedToPostMs,
            attempt_ms: delivered.attemptMs,
            sent_to_seen_ms: delivered.sentToSeenMs,
          },
    checks: {
      passed: checks.filter(({ outcome }) => outcome === 'passed').length,
      failed: checks
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ heading, section, name, reason, expected, got }) => ({
          heading,
          section,
          name,
          reason: reason ?? null,
          expected: expected ?? null,
          got: got ?? null,
        })),
      not_run: omittedChecks(),
    },
    customers,
    still_there: leftBehind,
  };
}

/** @throws Error when a step failed or something was not removed */
export function throwUnlessPassed(result: SmokeResult): void {
  const failed = result.steps.filter(({ outcome }) => outcome === 'failed');
  if (failed.length > 0) {
    throw new Error(
      `The smoke test failed: ${failed.map(({ step, detail }) => `${step} (${detail})`).join('; ')}`,
    );
  }
  if (!hasPassed(result)) throw new Error('The smoke test was stopped, or could not remove what it made');
}

function hasPassed({ steps, delivered, leftBehind }: SmokeResult): boolean {
  return steps.every(({ outcome }) => outcome !== 'failed') && delivered !== null && leftBehind.length === 0;
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
