/** Work in steps: each value that the iterator yields is a step. */
export type Work = AsyncIterator<unknown>;

export type Turns = {
  /** How many pieces of work run at the same time. */
  readonly concurrency: number;
  /** How many steps a piece of work may take before it yields to the others. */
  readonly steps: number;
  /** Called before each step; once it returns `false`, no step begins. */
  readonly mayContinue: () => boolean;
};

/**
 * Runs many pieces of work so that a large one delays no small one: every piece has its first turn before any has a
 * second one, and the unfinished ones take turns after that.
 *
 * @returns the failures; a piece of work that fails ends
 */
export async function takeTurns(works: Iterable<Work>, turns: Turns): Promise<readonly unknown[]> {
  const fresh = works[Symbol.iterator]();
  const again: Work[] = [];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (turns.mayContinue()) {
      const work = next(fresh) ?? again.shift();
      if (work === undefined) return;
      try {
        if (await takeTurn(work, turns)) again.push(work);
      } catch (failure) {
        failures.push(failure);
      }
    }
  };
  await Promise.all(Array.from({ length: turns.concurrency }, worker));
  return failures;
}

function next(works: Iterator<Work>): Work | undefined {
  const { done, value } = works.next();
  return done === true ? undefined : value;
}

/** @returns whether the work is unfinished */
async function takeTurn(work: Work, { steps, mayContinue }: Turns): Promise<boolean> {
  for (let step = 0; step < steps && mayContinue(); step += 1) {
    const { done } = await work.next();
    if (done === true) return false;
  }
  return true;
}
