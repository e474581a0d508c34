import type { Entries } from '#shared/aws/recent-cache.ts';
import { auditSpan } from '#shared/domain/progress.ts';
import { auditDeliveries, type Span } from '#shared/operations/delivery/audit-deliveries.ts';
import { sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import type { Service } from '../../support/table/io.ts';
import { RecordTable } from '../../support/table/record-table.ts';
import type { SecretCache } from '../../support/values/sealed-secrets.ts';
import { replacing } from '../mutants/replaced-functions.ts';
import { Consumer, type WorldOptions } from './consumer.ts';
import { Faults } from './faults.ts';
import { type FunctionName, timeoutOf } from './functions.ts';
import { Invocation, type Outcome } from './invocation.ts';
import { Journal, type Violation } from './journal.ts';
import { observe } from './observer.ts';
import { connect, type Ports } from './ports.ts';
import { type DeadLetter, SimulatedQueue } from './queues.ts';
import { Random } from './random.ts';
import { Receivers } from './receivers.ts';
import { MemoryScheduler } from './schedules.ts';
import type { QueueName, Script } from './script.ts';
import { Timeline } from './timeline.ts';
import { auditRule, fireAt, sweepRule } from './timers.ts';

/** The queue of each lane. */
const queueOf = { ordinary: 'delivery', slow: 'slowDelivery' } as const;

/** Whether the audit finds what the loss of a message strands. */
const queueIsAudited = { intake: false, delivery: true, slowDelivery: true, replay: false } as const;

export const startOfWorld = Date.UTC(2026, 0, 1);
const minute = 60_000;
/** As deployed. */
const deployedVisibility = 6 * timeoutOf('deliver') * 1000;

/** Queues, table, timers, receivers and the functions between them, in one process and in virtual time. */
export class World {
  readonly script: Script;
  readonly options: WorldOptions;
  readonly journal = new Journal();
  readonly timeline = new Timeline(startOfWorld);
  readonly random: Random;
  readonly faults: Faults;
  readonly table: RecordTable;
  readonly receivers: Receivers;
  readonly queues: Readonly<Record<QueueName, SimulatedQueue>>;
  readonly scheduler: MemoryScheduler;
  readonly secretCache: SecretCache = new Map();
  readonly customerCache: Entries<true> = new Map();
  readonly visibility: number;
  readonly #setAudit: () => void;
  readonly #consumers: Readonly<Record<QueueName, Consumer>>;
  readonly #live = new Set<Invocation>();
  readonly #outages = new Map<Service, number>();
  #actor: Invocation | null = null;
  #invocations = 0;
  #tokens = 0;

  constructor(script: Script, options: WorldOptions = {}) {
    const { journal, timeline } = this;
    this.script = script;
    this.options = options;
    this.visibility = options.visibility ?? deployedVisibility;
    this.random = new Random(script.seed);
    this.receivers = new Receivers(script);
    this.faults = new Faults(script.faults, (kind) => void journal.faults.push(kind));
    const setSweep = sweepRule(this, () => this.invoke('sweep', (ports) => sweepWaiting(ports)(() => true)));
    this.#setAudit = auditRule(this, () => this.audit(auditSpan(timeline.now)));
    this.table = new RecordTable(() => timeline.now, observe(this, setSweep));
    this.scheduler = new MemoryScheduler((name, body, dueAt, lane) =>
      fireAt(this, dueAt, () => {
        this.scheduler.complete(name);
        this.send(queueOf[lane], body);
      }),
    );
    const delivery = this.#makeQueue();
    const slowDelivery = this.#makeQueue(delivery);
    this.queues = { intake: this.#makeQueue(), delivery, slowDelivery, replay: this.#makeQueue() };
    this.#consumers = {
      intake: new Consumer(this, 'intake'),
      delivery: new Consumer(this, 'delivery'),
      slowDelivery: new Consumer(this, 'slowDelivery'),
      replay: new Consumer(this, 'replay'),
    };
  }

  /** The token of a transaction that names none; `undefined` when the client sends none. */
  makeToken(): string | undefined {
    this.#tokens += 1;
    return this.options.sendsTokens === false ? undefined : `call ${this.#tokens}`;
  }

  get actor(): Invocation | null {
    return this.#actor;
  }

  actAs<T>(invocation: Invocation, effect: () => T): T {
    this.#actor = invocation;
    try {
      return effect();
    } finally {
      this.#actor = null;
    }
  }

  /** Starts a function and reports its outcome, unless it dies. */
  invoke<T>(
    name: FunctionName,
    work: (ports: Ports) => Promise<T>,
    whenDone: (outcome: Outcome<T>) => void = () => {},
  ): void {
    const invocation = this.start(name);
    invocation.run(() => work(this.connect(invocation)), whenDone);
  }

  start(name: FunctionName): Invocation {
    this.#invocations += 1;
    for (const other of this.#live) if (!other.alive) this.#live.delete(other);
    const invocation = new Invocation(this, this.#invocations, name, timeoutOf(name));
    this.#live.add(invocation);
    this.journal.largestSkew = Math.max(this.journal.largestSkew, invocation.largestSkew);
    return invocation;
  }

  connect(invocation: Invocation): Ports {
    const ports = connect(this, invocation);
    const { patch } = this.options;
    if (patch === undefined) return ports;
    const changed = patch(ports, this, invocation);
    return { ...ports, ...changed, table: replacing(ports.table, changed) };
  }

  /** Runs the regular audit, or that of an operator over another span. */
  audit(span: Span): void {
    this.invoke('audit', (ports) => auditDeliveries(ports)({ ...span, requeue: true }, () => true));
  }

  beginOutage(service: Service, lasts: number): void {
    this.journal.outages += 1;
    this.#outages.set(service, this.timeline.now + lasts);
  }

  isDown(service: Service): boolean {
    return (this.#outages.get(service) ?? 0) > this.timeline.now;
  }

  killAll(): void {
    this.journal.powerCuts += 1;
    for (const invocation of this.#live) invocation.crash();
    this.#live.clear();
  }

  /** From now on, nothing fails. */
  calm(): void {
    this.faults.end();
    this.#outages.clear();
  }

  /** An operator redrives the dead letters that are valid messages; those of the slow lane go to the ordinary one. */
  redrive(isGood: (letter: DeadLetter) => boolean): void {
    for (const queue of ['intake', 'delivery', 'replay'] as const) {
      if (this.queues[queue].redrive(isGood) > 0) this.#consumers[queue].expect(0);
    }
  }

  get isAnyoneAlive(): boolean {
    return [...this.#live].some(({ alive }) => alive);
  }

  onOverlap(body: string): void {
    this.violate('oneFunctionHoldsAMessageAtATime', body);
  }

  violate(promise: string, detail: string): void {
    this.report([{ promise, detail }]);
  }

  readonly report = (violations: readonly Violation[]): void => {
    if (violations.length === 0) return;
    this.journal.violations.push(...violations);
    this.timeline.stop();
  };

  /** Sends a message to a queue. @returns `false` when the queue refuses it, which only a function sees */
  send(queue: QueueName, body: string, wait = 0): boolean {
    if (this.#actor?.name === 'deliverSlow') this.violate('theSlowLanePassesNothingOn', body);
    const fault = this.faults.next('send');
    // A message from outside is on the queue, or was never sent.
    if (fault === 'refused' && this.#actor !== null) return false;
    if (fault === 'vanished' && queueIsAudited[queue] && this.#actor !== null) {
      this.journal.vanished.push(body);
      this.#setAudit();
      return true;
    }
    const delay = wait + (fault === 'delayed' ? this.random.between(minute, 15 * minute) : 0);
    this.#put(queue, body, delay);
    if (fault === 'duplicated') this.#put(queue, body, this.random.below(5 * minute));
    return true;
  }

  #put(queue: QueueName, body: string, delay: number): void {
    this.queues[queue].put(body, delay);
    this.#consumers[queue].expect(delay);
  }

  #makeQueue(sharing?: SimulatedQueue): SimulatedQueue {
    const { visibility, timeline, random } = this;
    const { maxReceiveCount } = this.script;
    return new SimulatedQueue({ visibility, maxReceiveCount }, timeline, random, sharing);
  }
}
