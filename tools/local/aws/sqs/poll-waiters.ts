type Waiter = { readonly end: () => void };

type PollWaitersOptions = {
  readonly hasMessages: () => boolean;
  /** Epoch milliseconds of the next message that becomes visible. */
  readonly nextDue: () => number | undefined;
  readonly onDue: () => void;
};

/** The long polls of a queue. Without a poll, no timer runs. */
export class PollWaiters {
  readonly #options: PollWaitersOptions;
  readonly #waiters = new Set<Waiter>();
  #isWaking = false;
  #timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;

  constructor(options: PollWaitersOptions) {
    this.#options = options;
  }

  /** @param signal aborted when the caller is gone */
  wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        end: () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', waiter.end);
          this.#waiters.delete(waiter);
          this.rearm();
          resolve();
        },
      };
      const timer = setTimeout(waiter.end, waitMs);
      signal?.addEventListener('abort', waiter.end);
      this.#waiters.add(waiter);
      this.rearm();
    });
  }

  /** Ends one poll at a time: it takes up to ten messages, and the next poll wakes up if any are left. */
  wake(): void {
    if (this.#isWaking || this.#waiters.size === 0) return;
    this.#isWaking = true;
    // All messages of one call arrive first.
    queueMicrotask(() => {
      this.#isWaking = false;
      const [first] = this.#waiters;
      if (first !== undefined && this.#options.hasMessages()) first.end();
    });
  }

  cancel(): void {
    for (const waiter of [...this.#waiters]) waiter.end();
  }

  /** Sets the timer of the next message that becomes visible. */
  rearm(): void {
    const at = this.#waiters.size === 0 ? undefined : this.#options.nextDue();
    if (at === this.#timer?.at) return;
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
    if (at === undefined) return;
    const handle = setTimeout(
      () => {
        this.#timer = undefined;
        this.#options.onDue();
        this.rearm();
      },
      Math.max(1, at - Date.now()),
    );
    this.#timer = { at, handle };
  }
}
