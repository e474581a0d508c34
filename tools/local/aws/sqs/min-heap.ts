/** A priority queue: takes out the value with the smallest key first. */
export class MinHeap<T> {
  readonly #items: { readonly key: number; readonly value: T }[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The smallest key; `undefined` when empty. */
  get firstKey(): number | undefined {
    return this.#items[0]?.key;
  }

  push(key: number, value: T): void {
    const items = this.#items;
    let index = items.push({ key, value }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#keyAt(parent) <= key) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (items.length > 0) {
      items[0] = last;
      this.#sinkRoot();
    }
    return first.value;
  }

  #sinkRoot(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#keyAt(left + 1) < this.#keyAt(left) ? left + 1 : left;
      if (this.#keyAt(child) >= this.#keyAt(index)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  #keyAt(index: number): number {
    return this.#items[index]?.key ?? Number.POSITIVE_INFINITY;
  }

  #swap(one: number, other: number): void {
    const items = this.#items;
    const [first, second] = [items[one], items[other]];
    if (first === undefined || second === undefined) return;
    items[one] = second;
    items[other] = first;
  }
}
