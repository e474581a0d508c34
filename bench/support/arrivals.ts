/** The first POST of each Run. */
export class Arrivals {
  readonly #firstAt = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  add(runId: string, at: number): void {
    if (this.#firstAt.has(runId)) return;
    this.#firstAt.set(runId, at);
    for (const waiting of this.#waiting) {
      waiting.missing.delete(runId);
      if (waiting.missing.size === 0) waiting.resolve();
    }
  }

  /** `sharedNow()` of the first POST; `null` when none has arrived. */
  at(runId: string): number | null {
    return this.#firstAt.get(runId) ?? null;
  }

  /** Resolves when all Runs have arrived, or when the time is over. */
  async all(runIds: readonly string[], timeoutMs: number): Promise<void> {
    const missing = new Set(runIds.filter((runId) => !this.#firstAt.has(runId)));
    if (missing.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { missing, resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(waiting);
  }
}

type Waiting = { readonly missing: Set<string>; readonly resolve: () => void };
