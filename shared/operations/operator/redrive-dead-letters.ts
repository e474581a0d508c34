/** A message in a dead-letter queue. */
type Letter = {
  readonly id: string;
  /** Why it can never be processed unchanged; `null` when it was only retried too often. */
  readonly reason: string | null;
};

type Deps<L extends Letter> = {
  /** The approximate number of messages, including held ones. */
  readonly count: () => Promise<number>;
  /** Receives some messages and hides them from other receivers for minutes; none when the queue is empty. */
  readonly take: () => Promise<readonly L[]>;
  /** Sends a copy to the queue that the message came from. */
  readonly putBack: (letter: L) => Promise<void>;
  /** Deletes the message from the dead-letter queue. */
  readonly remove: (letter: L) => Promise<void>;
  /** Makes held messages visible again. */
  readonly release: (letters: readonly L[]) => Promise<void>;
};

/** The messages to put back: these ids, or all; messages with a reason only if `malformed` is set. */
export type Selection = { readonly ids: ReadonlySet<string> | null; readonly malformed: boolean };

export type Redriven = {
  /** Ids of the messages that went back. */
  readonly redriven: readonly string[];
  /** Number of messages that stayed because they have a reason. */
  readonly skipped: number;
  /** Whether the run ended before it saw every message. */
  readonly more: boolean;
  /** The error that ended the run, or `null`; every other message is still in the dead-letter queue. */
  readonly failure: unknown;
};

/** SQS only estimates the number of messages, so a run reads up to this many more. */
const countedTooFew = 100;

/** Progress of one run. `held` has the messages that are still in the dead-letter queue. */
type Work<L> = { readonly held: Map<string, L>; readonly redriven: Set<string>; more: boolean };

/**
 * Puts messages of a dead-letter queue back onto the queue that they came from. A copy is sent before the message is
 * deleted: a crash in between leaves two messages, which is harmless, and never none.
 *
 * A message that goes back with a reason can be refused at once and return as a new message. Such messages go last,
 * when the run takes no more, so that no run loops.
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
    // Only known messages: held ones became visible again and hide the rest.
    work.more = fresh.length === 0 || work.held.size + work.redriven.size >= most;
    if (work.more) break;
  }
  await move(
    deps,
    [...work.held.values()].filter((letter) => isSelected(letter, selection)),
    work,
  );
}

/** @returns the messages that are new to this run */
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
