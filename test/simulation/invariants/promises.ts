import type { Violation } from '../world/journal.ts';

/** How a promise was broken, or `null` when it was kept. The name of the function states the promise. */
export type Verdict = string | null;

/** @param about precedes the detail of each violation */
export function broken<S>(
  promises: readonly ((seen: S) => Verdict)[],
  seen: S,
  about = '',
): readonly Violation[] {
  let violations: Violation[] | null = null;
  for (const promise of promises) {
    const verdict = promise(seen);
    if (verdict === null) continue;
    violations ??= [];
    violations.push({ promise: promise.name, detail: about + verdict });
  }
  return violations ?? none;
}

const none: readonly Violation[] = [];
