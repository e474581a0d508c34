/** A map that forgets the entry that was set the longest ago, beyond a number of entries. */
export class RecentMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next();
    if (this.size > this.#maxEntries && oldest.done !== true) this.delete(oldest.value);
    return this;
  }
}
