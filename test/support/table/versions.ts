/** A value with its history: for stale reads, and for checks at the end. */
export class Versions<T> {
  readonly #versions: { readonly since: number; readonly value: T }[];

  constructor(first: T) {
    this.#versions = [{ since: Number.NEGATIVE_INFINITY, value: first }];
  }

  set(value: T, since: number): void {
    this.#versions.push({ since, value });
  }

  /** The value at that time. */
  asOf(time: number): T {
    const version = this.#versions.findLast(({ since }) => since <= time);
    if (version === undefined) throw new Error('A versioned value has at least its first version');
    return version.value;
  }

  get current(): T {
    return this.asOf(Number.POSITIVE_INFINITY);
  }

  /** All values that held at some time after `from` and until `to`, oldest first. */
  within(from: number, to: number): readonly T[] {
    return this.#versions
      .filter(({ since }, index) => {
        const next = this.#versions[index + 1];
        return since <= to && (next === undefined || next.since > from);
      })
      .map(({ value }) => value);
  }

  get all(): readonly { readonly since: number; readonly value: T }[] {
    return this.#versions;
  }
}
