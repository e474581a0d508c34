/** One limit over all phases of one piece of work. */
export type Deadline = {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** The result of the work, or `null` when the time is over first. */
  limit<T>(work: Promise<T>): Promise<T | null>;
  /** Stops the clock; the signal never aborts afterwards. */
  end(): void;
};

/**
 * Timeouts of sockets and of HTTP libraries start anew with every byte, or cover one phase each. This one
 * starts once.
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
