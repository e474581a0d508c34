/** One time limit for all phases of a task. */
export type Deadline = {
  /** Aborts when the time is up. */
  readonly signal: AbortSignal;
  /** The result of the work; `null` when the time is up first. */
  limit<T>(work: Promise<T>): Promise<T | null>;
  /** Stops the clock; the signal never aborts afterwards. */
  end(): void;
};

/**
 * Starts a deadline. Timeouts of sockets and of HTTP libraries restart with every byte, or cover one phase each; a
 * deadline starts once.
 */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  const expired = new Promise<null>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  return {
    signal: controller.signal,
    limit: (work) => Promise.race([work, expired]),
    end: () => clearTimeout(timer),
  };
}
