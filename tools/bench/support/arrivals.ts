import { setTimeout as sleep } from 'node:timers/promises';

/** The first POST of each Run. */
export class Arrivals {
  readonly #first = new Map<string, PromiseWithResolvers<number>>();

  /** @param at `sharedNow()` */
  add(runId: string, at: number): void {
    this.#of(runId).resolve(at);
  }

  /** The time of the first POST, when it has arrived; `null` when it has not in this time. */
  async wait(runId: string, timeoutMs: number): Promise<number | null> {
    const over = new AbortController();
    const timeout = sleep(timeoutMs, null, { signal: over.signal }).catch(() => null);
    const at = await Promise.race([this.#of(runId).promise, timeout]);
    over.abort();
    return at;
  }

  #of(runId: string): PromiseWithResolvers<number> {
    const first = this.#first.get(runId) ?? Promise.withResolvers<number>();
    this.#first.set(runId, first);
    return first;
  }
}
