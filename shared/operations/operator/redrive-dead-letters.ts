/** What has to be known of a message in a dead-letter queue. */
type Letter = {
  readonly id: string;
  /** Why it can never be processed as it is; `null` for one that was only tried too often. */
  readonly reason: string | null;
};

type Deps<L extends Letter> = {
  /** About how many there are, held ones included. */
  readonly count: () => Promise<number>;
  /** Receives some and holds them: nobody receives them again for minutes. None when no more are there. */
  readonly take: () => Promise<readonly L[]>;
  /** Sends a copy to the queue that it came from. */
  readonly putBack: (letter: L) => Promise<void>;
  /** Deletes it from the dead-letter queue. */
  readonly remove: (letter: L) => Promise<void>;
  /** Ends the holding. */
  readonly release: (letters: readonly L[]) => Promise<void>;
};

/** Which messages go back: those of these ids; or all, those with a reason only if `malformed` says so. */
export type Selection = { readonly ids: ReadonlySet<string> | null; readonly malformed: boolean };

export type Redriven = {
  /** Ids of those that went back. */
  readonly redriven: readonly string[];
  /** How many stayed because they have a reason. */
  readonly skipped: number;
  /** Whether it ended before it had seen all. */
  readonly more: boolean;
  /** What ended it; everything that did not go back is still in the dead-letter queue. */
  readonly failure: unknown;
};

/** SQS only estimates how many messages there are, so a few more than it says are looked at. */
const countedTooFew = 100;

/** What one run has done so far. `held` has the messages that are still in the dead-letter queue. */
type Work<L> = { readonly held: Map<string, L>; readonly redriven: Set<string>; more: boolean };

/**
 * Puts messages of a dead-letter queue back onto the queue that they came from. A copy is sent before the message
 * is deleted: a crash in between leaves two, which changes nothing, and never none.
 *
 * A message that is put back with its reason is refused at once and returns as another one. So these go last, when
 * no more are taken, and no run goes round in circles.
 */
export function redriveDeadLetters<L extends Letter>(deps: Deps<L>) {
  return async (selection: Selection): Promise<Redriven> => {
    const work: Work<L> = { held: new Map(), redriven: new Set(), more: false };
    const failure = await failureOf(() => moveAll(deps, selection, work));
    const unreleased = await failureOf(() => deps.release([...work.held.values()]));
    const stayed = [...work.held.values()].filter(({ reason }) => reason !== null);
    return {
      redriven: [...work.redriven],
      skipped: selection.ids === null && !selection.malformed ? stayed.length : 0,
      more: work.more,
      failure: failure ?? unreleased,
    };
  };
}

async function moveAll<L extends Letter>(deps: Deps<L>, selection: Selection, work: Work<L>): Promise<void> {
  const most = (await deps.count()) + countedTooFew;
  while (!isComplete(selection, work)) {
    const taken = await deps.take();
    if (taken.length === 0) break;
    const fresh = hold(work, taken);
    await move(
      deps,
      fresh.filter((letter) => letter.reason === null && isSelected(letter, selection)),
      work,
    );
    // Nothing new: what is held has become visible again, and the rest cannot be reached past it.
    work.more = fresh.length === 0 || work.held.size + work.redriven.size >= most;
    if (work.more) break;
  }
  await move(
    deps,
    [...work.held.values()].filter((letter) => isSelected(letter, selection)),
    work,
  );
}

/** @returns those that were not seen before */
function hold<L extends Letter>({ held, redriven }: Work<L>, taken: readonly L[]): readonly L[] {
  const there = taken.filter(({ id }) => !redriven.has(id));
  const fresh = there.filter(({ id }) => !held.has(id));
  for (const letter of there) held.set(letter.id, letter);
  return fresh;
}

async function move<L extends Letter>(deps: Deps<L>, letters: readonly L[], work: Work<L>): Promise<void> {
  for (let start = 0; start < letters.length; start += atOnce) {
    const batch = letters.slice(start, start + atOnce);
    const results = await Promise.allSettled(batch.map((letter) => moveOne(deps, letter, work)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

const atOnce = 10;

async function moveOne<L extends Letter>(deps: Deps<L>, letter: L, work: Work<L>): Promise<void> {
  await deps.putBack(letter);
  await deps.remove(letter);
  work.held.delete(letter.id);
  work.redriven.add(letter.id);
}

function isSelected({ id, reason }: Letter, { ids, malformed }: Selection): boolean {
  return ids === null ? malformed || reason === null : ids.has(id);
}

function isComplete({ ids }: Selection, { held, redriven }: Work<Letter>): boolean {
  return ids !== null && [...ids].every((id) => held.has(id) || redriven.has(id));
}

async function failureOf(run: () => Promise<void>): Promise<unknown> {
  try {
    await run();
    return null;
  } catch (error) {
    return error;
  }
}
