const maxIds = 10_000;

/** Counts the requests of each event. Beyond ten thousand events, forgets the one that was counted first. */
export class EventCounts {
  readonly #counts = new Map<string, number>();

  /** Counts one more request. @returns how many there have been */
  add(eventId: string): number {
    const count = (this.#counts.get(eventId) ?? 0) + 1;
    this.#counts.set(eventId, count);
    const oldest = this.#counts.keys().next();
    if (this.#counts.size > maxIds && oldest.done !== true) this.#counts.delete(oldest.value);
    return count;
  }
}
