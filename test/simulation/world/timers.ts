import type { MemoryTable } from '../../support/memory/memory-table.ts';
import type { Host } from './invocation.ts';

const minute = 60_000;

/** How often the sweep runs. */
const sweepInterval = 5 * minute;
/** No sweep can find a row that is due later than this, for any error of its clock. */
const horizon = 5 * minute;

/** Fires a one-time schedule within the minute after its time, unless a fault strikes. */
export function fireAt(host: Host, dueAt: number, fire: () => void): void {
  const { timeline, random, faults } = host;
  const punctual = dueAt + random.below(minute);
  const sendAt = (time: number): void => timeline.at(time, () => sendWhenUp(host, fire));
  switch (faults.next('firing')) {
    case 'dropped':
      return;
    case 'fired_twice':
      sendAt(punctual);
      sendAt(punctual + random.between(1, 5 * minute));
      return;
    case 'fired_late':
      sendAt(punctual + random.between(minute, 180 * minute));
      return;
    case 'fired_early':
      sendAt(dueAt - random.between(1, minute));
      return;
    default:
      sendAt(punctual);
  }
}

/** EventBridge Scheduler retries until its target is available. */
function sendWhenUp(host: Host, fire: () => void): void {
  if (host.isDown('queue')) host.timeline.after(minute, () => sendWhenUp(host, fire));
  else fire();
}

/** A rule that starts a function at certain times, once it is set, as long as there may be something to find. */
export class Rule {
  readonly #timeline: Host['timeline'];
  readonly #next: () => number;
  readonly #tick: () => boolean;
  #isSet = false;

  /** @param tick starts the function; returns whether the rule goes on */
  constructor({ timeline }: Host, next: () => number, tick: () => boolean) {
    this.#timeline = timeline;
    this.#next = next;
    this.#tick = tick;
  }

  set(): void {
    if (this.#isSet) return;
    this.#isSet = true;
    this.#timeline.at(this.#next(), () => {
      this.#isSet = false;
      if (this.#tick()) this.set();
    });
  }
}

/** How often the audit runs. */
const auditInterval = 60 * minute;

/**
 * The rule that starts the audit. It runs only after a queue lost a message: before that, a stranded delivery is a
 * broken promise, which the audit must not repair.
 */
export function auditRule(host: Host, table: MemoryTable, audit: () => void): Rule {
  const next = () => host.timeline.now + auditInterval;
  return new Rule(host, next, () => {
    const pending = [...table.deliveries].filter(({ delivery }) => delivery.status === 'pending');
    if (pending.some(({ dueAt }) => dueAt === null)) audit();
    return pending.length > 0;
  });
}

/**
 * The rule that starts the sweep, at least once unless a fault strikes. A sweep that could find nothing is skipped, which
 * saves time and changes nothing. Set it when a delivery waits.
 */
export function sweepRule(host: Host, table: MemoryTable, sweep: () => void): Rule {
  const { timeline, random, faults } = host;
  const next = () => Math.ceil((timeline.now + 1) / sweepInterval) * sweepInterval;
  return new Rule(host, next, () => {
    const fault = table.waitingBefore(timeline.now + horizon, 0).length > 0 ? faults.next('sweep') : 'no use';
    if (fault === null || fault === 'swept_twice') sweep();
    if (fault === 'swept_twice') timeline.after(random.below(100), sweep);
    return table.waitingBefore(Number.POSITIVE_INFINITY, 0).length > 0;
  });
}
