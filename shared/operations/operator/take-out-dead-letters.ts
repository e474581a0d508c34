import { fewAtOnce } from './few-at-once.ts';

/** The facts of a dead letter that this operation uses. */
type Letter = {
  readonly id: string;
  /** Why the message can never be processed; `null` when it was only received too often. */
  readonly reason: string | null;
};

type Deps<L extends Letter> = {
  /** Approximate number of messages: visible ones, and those that another command holds. */
  readonly count: () => Promise<{ readonly waiting: number; readonly held: number }>;
  /** Receives messages and hides them from other receivers for minutes. Empty when no more are visible. */
  readonly take: () => Promise<readonly L[]>;
  /** Deletes the message from the dead-letter queue. */
  readonly remove: (letter: L) => Promise<void>;
  /** Stops holding the messages. */
  readonly release: (letters: readonly L[]) => Promise<void>;
};

/**
 * The messages to take out: those with the given ids, or with `null` all of them. Without ids, messages with a reason
 * are included only if `malformed` is set; with `reason`, only those whose reason contains that text are included.
 */
export type Selection = {
  readonly ids: ReadonlySet<string> | null;
  readonly malformed: boolean;
  readonly reason?: string;
};

export type TakenOut = {
  /** Ids of the messages that were taken out. */
  readonly taken: readonly string[];
  /** Number of messages that stayed because they have a reason. */
  readonly skipped: number;
  /** Whether the run ended before it had received all messages. */
  readonly more: boolean;
  /** Number of messages that another command held when this one started, and that were therefore not searched. */
  readonly heldElsewhere: number;
  /** The error that ended the run, or `null`. Messages that were not taken out are still in the dead-letter queue. */
  readonly failure: unknown;
};

/** SQS only estimates the number of messages, so a run receives up to this many more than SQS counts. */
const countMargin = 100;

/** Messages that are taken out at the same time. */
const atOnce = 10;

/** The progress of one run. `held` has the messages that are still in the dead-letter queue. */
type Work<L> = {
  readonly held: Map<string, L>;
  readonly taken: Set<string>;
  more: boolean;
  heldElsewhere: number;
};

/**
 * Deletes messages from a dead-letter queue, each after `before` has succeeded for it. When `before` sends a copy, a
 * crash in between leaves the message in both queues, never in none.
 *
 * A copy that still has its defect is refused at once and returns as another dead letter. So messages with a reason go
 * last, when no more are received, and a run never meets its own copies.
 */
export function takeOutDeadLetters<L extends Letter>(deps: Deps<L>) {
  return async (selection: Selection, before?: (letter: L) => Promise<void>): Promise<TakenOut> => {
    const work: Work<L> = { held: new Map(), taken: new Set(), more: false, heldElsewhere: 0 };
    const takeOne = async (letter: L): Promise<void> => {
      await before?.(letter);
      await deps.remove(letter);
      work.held.delete(letter.id);
      work.taken.add(letter.id);
    };
    const failure = await failureOf(() => takeAll(deps, selection, work, takeOne));
    const unreleased = await failureOf(() => deps.release([...work.held.values()]));
    const stayed = [...work.held.values()].filter(({ reason }) => reason !== null);
    return {
      taken: [...work.taken],
      skipped: selection.ids === null && !selection.malformed ? stayed.length : 0,
      more: work.more,
      heldElsewhere: work.heldElsewhere,
      failure: failure ?? unreleased,
    };
  };
}

async function takeAll<L extends Letter>(
  { count, take }: Deps<L>,
  selection: Selection,
  work: Work<L>,
  takeOne: (letter: L) => Promise<void>,
): Promise<void> {
  const { waiting, held } = await count();
  work.heldElsewhere = held;
  const most = waiting + held + countMargin;
  const takeSelected = (letters: readonly L[]) =>
    fewAtOnce(
      letters.filter((letter) => isSelected(letter, selection)),
      atOnce,
      takeOne,
    );
  while (!isComplete(selection, work)) {
    const received = await take();
    if (received.length === 0) break;
    const fresh = hold(work, received);
    await takeSelected(fresh.filter(({ reason }) => reason === null));
    // Nothing new: the held messages have become visible again, and the rest cannot be reached past them.
    work.more = fresh.length === 0 || work.held.size + work.taken.size >= most;
    if (work.more) break;
  }
  await takeSelected([...work.held.values()]);
}

/** @returns the messages that were not received before */
function hold<L extends Letter>({ held, taken }: Work<L>, received: readonly L[]): readonly L[] {
  const present = received.filter(({ id }) => !taken.has(id));
  const fresh = present.filter(({ id }) => !held.has(id));
  for (const letter of present) held.set(letter.id, letter);
  return fresh;
}

export function isSelected({ id, reason }: Letter, { ids, malformed, reason: text }: Selection): boolean {
  if (ids !== null) return ids.has(id);
  if (text !== undefined) return reason?.includes(text) === true;
  return malformed || reason === null;
}

function isComplete({ ids }: Selection, { held, taken }: Work<Letter>): boolean {
  return ids !== null && [...ids].every((id) => held.has(id) || taken.has(id));
}

async function failureOf(run: () => Promise<void>): Promise<unknown> {
  try {
    await run();
    return null;
  } catch (error) {
    return error;
  }
}
