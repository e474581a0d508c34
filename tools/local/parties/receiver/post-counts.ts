/** Number of URLs whose POSTs are counted; beyond it, the least recently used one is dropped. */
const maxUrls = 10_000;

type Counted = { readonly name: string; readonly count: number };

/**
 * Counts POSTs by URL, query included: endpoints at one path that respond in different ways do not count each other's
 * events.
 */
export class PostCounts {
  readonly #byUrl = new Map<string, Counted>();

  /** Counts a POST. @returns the number of earlier ones to the same URL */
  add(name: string, url: string): number {
    const count = this.#byUrl.get(url)?.count ?? 0;
    this.#byUrl.delete(url);
    this.#byUrl.set(url, { name, count: count + 1 });
    const leastRecent = this.#byUrl.keys().next();
    if (this.#byUrl.size > maxUrls && leastRecent.done !== true) this.#byUrl.delete(leastRecent.value);
    return count;
  }

  /** Forgets the counts of a name, or all. */
  clear(name: string | null): void {
    for (const [url, counted] of this.#byUrl) {
      if (name === null || counted.name === name) this.#byUrl.delete(url);
    }
  }
}
