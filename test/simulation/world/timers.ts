import type { RecordTable } from '../../support/table/record-table.ts';
import { minute } from '../../support/values/builders.ts';
import type { Host } from './invocation.ts';

/** How often the sweep runs. */
const sweepInterval = 5 * minute;
/** No sweep can find a row that is due later than this, for any error of its clock. */
const horizon = 5 * minute;

/** Fires a one-time schedule within the minute after its time, unless a fault strikes. */
export function fireAt(world: Host, dueAt: number, fire: () => void): void {
  const { timeline, random, faults } = world;
  const punctual = dueAt + random.below(minute);
  const times = {
    punctual: () => [punctual],
    dropped: () => [],
    fired_twice: () => [punctual, punctual + random.between(1, 5 * minute)],
    fired_late: () => [punctual + random.between(minute, 180 * minute)],
    fired_early: () => [dueAt - random.between(1, minute)],
  };
  for (const time of times[faults.next('firing') ?? 'punctual']()) timeline.at(time, () => sendWhenUp(world, fire));
}

/** EventBridge Scheduler retries until its target is available. */
function sendWhenUp(world: Host, fire: () => void): void {
  if (world.isDown('queue')) world.timeline.after(minute, () => sendWhenUp(world, fire));
  else fire();
}

/**
 * A rule that starts a function at certain times, once it is set, as long as there may be something to find.
 *
 * @param tick starts the function; returns whether the rule goes on
 * @returns sets the rule
 */
function rule({ timeline }: Host, next: () => number, tick: () => boolean): () => void {
  let isSet = false;
  const set = (): void => {
    if (isSet) return;
    isSet = true;
    timeline.at(next(), () => {
      isSet = false;
      if (tick()) set();
    });
  };
  return set;
}

type WithTable = Host & { readonly table: RecordTable };

/** How often the audit runs. */
const auditInterval = 60 * minute;

/**
 * The rule that starts the audit. It runs only after a queue lost a message: before that, a stranded delivery is a
 * broken promise, which the audit must not repair.
 */
export function auditRule(world: WithTable, audit: () => void): () => void {
  const next = () => world.timeline.now + auditInterval;
  return rule(world, next, () => {
    const pending = [...world.table.deliveries].filter(({ delivery }) => delivery.status === 'pending');
    if (pending.some(({ dueAt }) => dueAt === null)) audit();
    return pending.length > 0;
  });
}

/**
 * The rule that starts the sweep, at least once unless a fault strikes. A sweep that could find nothing is skipped, which
 * saves time and changes nothing. Set it when a delivery waits.
 */
export function sweepRule(world: WithTable, sweep: () => void): () => void {
  const { timeline, random, faults } = world;
  const next = () => Math.ceil((timeline.now + 1) / sweepInterval) * sweepInterval;
  return rule(world, next, () => {
    const { table } = world;
    const fault = table.waitingBefore(timeline.now + horizon).length > 0 ? faults.next('sweep') : 'no use';
    if (fault === null || fault === 'swept_twice') sweep();
    if (fault === 'swept_twice') timeline.after(random.below(100), sweep);
    return table.waitingBefore(Number.POSITIVE_INFINITY).length > 0;
  });
}
