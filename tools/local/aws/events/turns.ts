/** The message groups of a batch. */
type Groups = ReadonlySet<string>;

type Waiting = { readonly groups: Groups; readonly begin: () => void };

/**
 * Lets a limited number of batches work at once. The next one is that of the group of which the fewest batches are at
 * work: a burst of one group does not make the others wait for all of its batches.
 */
export class Turns {
  readonly #limit: () => number;
  readonly #atWork: Groups[] = [];
  #waiting: readonly Waiting[] = [];

  /** @param limit batches at once; call `next` when it has grown */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Runs the work of a batch when it is its turn. */
  async take<T>(groups: Groups, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting = [...this.#waiting, { groups, begin }];
      this.next();
    });
    try {
      return await work();
    } finally {
      this.#atWork.splice(this.#atWork.indexOf(groups), 1);
      this.next();
    }
  }

  /** Begins as many batches as the limit allows. */
  next(): void {
    while (this.#atWork.length < this.#limit()) {
      const [next] = this.#waiting.toSorted((one, other) => this.#held(one) - this.#held(other));
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      this.#atWork.push(next.groups);
      next.begin();
    }
  }

  /** Batches at work of the group that has the fewest. */
  #held({ groups }: Waiting): number {
    return Math.min(...[...groups].map((group) => this.#atWork.filter((held) => held.has(group)).length));
  }
}
