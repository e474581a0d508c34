import type { Violation } from '../world/journal.ts';

/** Promises by name; the name states the promise. Each yields how it was broken, and nothing when it was kept. */
export type Promises<S> = Readonly<Record<string, (seen: S) => Iterable<string>>>;

const none: readonly Violation[] = [];

/** @param about precedes the detail of each violation. @returns the first violation of each promise */
export function broken<S>(promises: Promises<S>, seen: S, about = ''): readonly Violation[] {
  let violations: Violation[] | null = null;
  for (const promise in promises) {
    for (const detail of promises[promise]?.(seen) ?? []) {
      violations ??= [];
      violations.push({ promise, detail: about + detail });
      break;
    }
  }
  return violations ?? none;
}
