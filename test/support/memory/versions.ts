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
    const versions = this.#versions;
    for (let index = versions.length - 1; index > 0; index -= 1) {
      const version = versions[index];
      if (version !== undefined && version.since <= time) return version.value;
    }
    return first(versions).value;
  }

  get current(): T {
    return this.#versions.at(-1)?.value ?? first(this.#versions).value;
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

function first<V>(versions: readonly V[]): V {
  const [version] = versions;
  if (version === undefined) throw new Error('A versioned value has at least its first version');
  return version;
}
