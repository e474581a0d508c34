import { vi } from 'vitest';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';

/** The time limit that a deployment has, for a client whose clock the test moves. */
export const deployedDeadline = { deadlineMs: attemptTimeout } as const;

/**
 * Stops the clock of deadlines: only the test moves it, however long the real work takes. Sockets keep real time.
 * `vi.useRealTimers()` starts the clock again.
 */
export function stopDeadlines(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

/** Moves the clock of every running deadline by that many milliseconds. */
export function passTime(milliseconds: number): void {
  vi.advanceTimersByTime(milliseconds);
}

/** Resolves when `count` deadlines run. `expect.poll` would move their clock. */
export async function deadlinesRun(count: number): Promise<void> {
  while (vi.getTimerCount() < count) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether the work has settled, once everything that was ready to run has run. */
export async function hasEnded(work: Promise<unknown>): Promise<boolean> {
  let ended = false;
  const note = () => {
    ended = true;
  };
  void work.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return ended;
}
