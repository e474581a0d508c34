/** A semaphore: a limited number of slots, granted to callers in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async take(): Promise<void> {
    this.#free -= 1;
    if (this.#free < 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    this.#free += 1;
    this.#waiting.shift()?.();
  }
}
