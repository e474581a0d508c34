/** Small, fast, repeatable pseudo-randomness (mulberry32). The same seed gives the same run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True once in `times`, on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.below(256));
  }

  /** The same things in another order. */
  shuffled<T>(things: readonly T[]): readonly T[] {
    return things
      .map((thing) => ({ thing, rank: this.below(1 << 30) }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ thing }) => thing);
  }
}
