/** Work that is done step by step: each value that it gives is a step. */
export type Work = AsyncIterator<unknown>;

export type Turns = {
  /** How many pieces of work take their turn at the same time. */
  readonly sideBySide: number;
  /** How many steps a piece of work may do before others have their turn. */
  readonly steps: number;
  /** Asked before each step; once it says no, no step begins. */
  readonly mayContinue: () => boolean;
};

/**
 * Does many pieces of work so that a large one holds up no small one: nothing has a second turn before everything has
 * had its first, and those that are left take turns then.
 *
 * @returns what failed; a piece of work that fails ends
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
  await Promise.all(Array.from({ length: turns.sideBySide }, worker));
  return failures;
}

function next(works: Iterator<Work>): Work | undefined {
  const { done, value } = works.next();
  return done === true ? undefined : value;
}

/** @returns whether more is left to do */
async function takeTurn(work: Work, { steps, mayContinue }: Turns): Promise<boolean> {
  for (let step = 0; step < steps && mayContinue(); step += 1) {
    const { done } = await work.next();
    if (done === true) return false;
  }
  return true;
}
