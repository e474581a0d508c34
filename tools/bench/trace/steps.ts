import type { PlayedEvent } from '../support/load.ts';

/** An invocation of a function, or a call that one made. Times are `sharedNow()`. */
export type Step = {
  readonly kind: 'invocation' | 'call';
  /** Name of the function. */
  readonly caller: string;
  /** Folder of the function, or what it called. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
};

/**
 * Milliseconds of each part of the way of an event, in order, with their sum at the end; `null` for an event that did
 * not arrive, or whose functions cannot be told from those of another one.
 *
 * @param steps of all events
 */
export function stepsOf(
  { acceptedAt, arrivedAt }: PlayedEvent,
  steps: readonly Step[],
): ReadonlyMap<string, number> | null {
  if (arrivedAt === null) return null;
  const near = steps.filter(({ from, to }) => from < arrivedAt && to > acceptedAt);
  const [intake, deliver] = ['queue/intake', 'queue/deliver'].map((folder) => {
    const found = near.filter(({ kind, name }) => kind === 'invocation' && name === folder);
    return found.length === 1 ? found[0] : undefined;
  });
  if (intake === undefined || deliver === undefined) return null;
  const parts = new Map([['accepted, until intake begins', intake.from - acceptedAt]]);
  let at = intake.from;
  for (const [name, invocation] of [
    ['intake', intake],
    ['deliver', deliver],
  ] as const) {
    const calls = callsOf(invocation, near, arrivedAt);
    const ofCalls = calls.reduce((sum, { from, to }) => sum + to - from, 0);
    const last = calls.at(-1)?.to ?? at;
    parts.set(`code of ${name}, up to its last call`, last - at - ofCalls);
    for (const call of calls) parts.set(`${name}: ${call.name}`, call.to - call.from);
    if (name === 'intake') parts.set('sent, until deliver begins', deliver.from - last);
    at = name === 'intake' ? deliver.from : last;
  }
  parts.set('sign, connect, POST, and the receiver reads it', arrivedAt - at);
  return parts.set('in all', arrivedAt - acceptedAt);
}

/** The calls of an invocation before the event arrived, in their order. */
function callsOf({ caller, from }: Step, steps: readonly Step[], arrivedAt: number): readonly Step[] {
  return steps
    .filter((step) => step.kind === 'call' && step.caller === caller && step.from >= from && step.to <= arrivedAt)
    .toSorted((one, other) => one.from - other.from);
}
