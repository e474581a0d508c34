/** How many endpoints a customer may hold. */
export const slotsPerCustomer = 5;

/** Lets no more endpoints be registered at once than the customer may hold. */
export class Slots {
  #free = slotsPerCustomer;
  readonly #waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
