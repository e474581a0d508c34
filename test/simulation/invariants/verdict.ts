import type { Violation } from '../world/journal.ts';

/** What breaks a promise, or `null` when it is kept. The name of the function that says so is the promise. */
export type Verdict = string | null;

/** @param about put before what is said of a broken promise */
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
