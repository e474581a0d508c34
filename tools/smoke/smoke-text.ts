import { report } from '../conformance/report.ts';
import type { SmokeResult } from './run-smoke.ts';

type Shown = {
  readonly place: { readonly stage: string | null; readonly api_url: string; readonly receiver: string };
  readonly smoke: SmokeResult;
};

/** The result for a person: that of the checks, and what is left. */
export function outcomeLines({ place, smoke: { result, leftBehind } }: Shown): readonly string[] {
  const { stage, api_url, receiver } = place;
  return [
    `${stage === null ? 'The local stack' : `Stage ${stage}`} at ${api_url}, receiver ${receiver}`,
    ...(result === null ? [] : ['', report(result).trimEnd()]),
    ...leftBehind.map(({ what, command }) => `Still there: ${what}. Remove it with: ${command}`),
  ];
}

/** The result for a program: that of `npm run conformance -- --json`, and what was made for it. */
export function outcomeJson({ place, smoke }: Shown) {
  const { result, customers, leftBehind } = smoke;
  const { sent: _, ...shown } = result ?? { checks: [], requests: null, durationMs: null, sent: [] };
  return { ...place, passed: faultIn(smoke) === null, ...shown, customers, still_there: leftBehind };
}

/** @throws Error when a check failed, or something was not removed */
export function throwUnlessPassed(smoke: SmokeResult): void {
  const fault = faultIn(smoke);
  if (fault !== null) throw new Error(`The smoke test ${fault}`);
}

function faultIn({ result, fault, wasStopped, leftBehind }: SmokeResult): string | null {
  if (wasStopped) return 'was stopped';
  if (fault !== null) return `failed: ${fault}`;
  const failed = result?.checks.filter(({ outcome }) => outcome === 'failed') ?? [];
  if (failed.length > 0) return `failed: ${failed.map(({ name }) => name).join('; ')}`;
  return leftBehind.length > 0 ? 'could not remove what it made' : null;
}
