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

/** How often the audit runs. */
const auditInterval = 60 * minute;

/**
 * The rule that starts the audit. It runs only after a queue lost a message: before that, a stranded delivery is a
 * broken promise, which the audit must not repair.
 */
export class AuditRule {
  readonly #host: Host;
  readonly #table: MemoryTable;
  readonly #audit: () => void;
  #isSet = false;

  constructor(host: Host, table: MemoryTable, audit: () => void) {
    this.#host = host;
    this.#table = table;
    this.#audit = audit;
  }

  set(): void {
    if (this.#isSet) return;
    this.#isSet = true;
    this.#host.timeline.after(auditInterval, () => this.#tick());
  }

  #tick(): void {
    this.#isSet = false;
    const pending = [...this.#table.deliveries].filter(({ delivery }) => delivery.status === 'pending');
    if (pending.length === 0) return;
    if (pending.some(({ dueAt }) => dueAt === null)) this.#audit();
    this.set();
  }
}

/** The rule that starts the sweep. A sweep that could find nothing is skipped, which saves time and changes nothing. */
export class SweepRule {
  readonly #host: Host;
  readonly #table: MemoryTable;
  readonly #sweep: () => void;
  #isSet = false;

  constructor(host: Host, table: MemoryTable, sweep: () => void) {
    this.#host = host;
    this.#table = table;
    this.#sweep = sweep;
  }

  /** Call it when a delivery waits. */
  set(): void {
    if (this.#isSet) return;
    this.#isSet = true;
    const { timeline } = this.#host;
    timeline.at(Math.ceil((timeline.now + 1) / sweepInterval) * sweepInterval, () => this.#tick());
  }

  #tick(): void {
    this.#isSet = false;
    const { now } = this.#host.timeline;
    if (this.#table.waitingBefore(now + horizon, 0).length > 0) this.#fire();
    if (this.#table.waitingBefore(Number.POSITIVE_INFINITY, 0).length > 0) this.set();
  }

  /** A rule starts its function at least once, unless a fault strikes. */
  #fire(): void {
    const { timeline, random, faults } = this.#host;
    const fault = faults.next('sweep');
    if (fault === 'sweep_skipped') return;
    this.#sweep();
    if (fault === 'swept_twice') timeline.after(random.below(100), () => this.#sweep());
  }
}
