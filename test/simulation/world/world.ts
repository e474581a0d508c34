import type { Entries } from '#shared/aws/recent-cache.ts';
import { auditSpan, type Span } from '#shared/domain/progress.ts';
import type { RunForms } from '#shared/domain/run-forms.ts';
import { auditDeliveries } from '#shared/operations/delivery/audit-deliveries.ts';
import { sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import { AwsError } from '../../../tools/local/aws/aws-api.ts';
import type { Schedules } from '../../../tools/local/aws/scheduler/create-schedule.ts';
import { messageOf, timeOf } from '../../../tools/local/aws/scheduler/schedule.ts';
import { ScheduleStore } from '../../../tools/local/aws/scheduler/schedule-store.ts';
import type { Message } from '../../../tools/local/aws/sqs/message.ts';
import { SqsQueues } from '../../../tools/local/aws/sqs/sqs-queues.ts';
import type { Service } from '../../support/table/io.ts';
import { RecordTable } from '../../support/table/record-table.ts';
import { expecting } from '../../support/table/table-ports.ts';
import { minute } from '../../support/values/builders.ts';
import { replacing } from '../mutants/replaced-functions.ts';
import { scheduleGroup, WarmSecrets } from './clients.ts';
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
import type { QueueName, Script } from './script.ts';
import { clockOf, Timeline } from './timeline.ts';
import { auditRule, fireAt, sweepRule } from './timers.ts';

/** Whether the audit finds what the loss of a message strands. */
const queueIsAudited = { intake: false, delivery: true, slowDelivery: true, replay: false } as const;

export const startOfWorld = Date.UTC(2026, 0, 1);
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
  readonly sqs = new SqsQueues(undefined);
  readonly secretCache = new WarmSecrets();
  readonly answerKeys: Random;
  readonly customerCache: Entries<true> = new Map();
  readonly runForms: RunForms;
  readonly visibility: number;
  readonly #setAudit: () => void;
  readonly #consumers: Readonly<Record<QueueName, Consumer>>;
  readonly #live = new Set<Invocation>();
  readonly #outages = new Map<Service, number>();
  #actor: Invocation | null = null;
  #invocations = 0;
  #tokens = 0;
  #scheduleTokens = 0;
  #schedules: Schedules | null = null;

  constructor(script: Script, options: WorldOptions = {}) {
    const { journal, timeline } = this;
    this.script = script;
    this.options = options;
    this.visibility = options.visibility ?? deployedVisibility;
    this.random = new Random(script.seed);
    this.runForms = expecting(script.seed % 2 === 0 ? 'new' : 'saved');
    this.answerKeys = new Random(script.seed);
    this.receivers = new Receivers(script);
    this.faults = new Faults(script.faults, (kind) => void journal.faults.push(kind));
    const setSweep = sweepRule(this, () => this.invoke('sweep', (ports) => sweepWaiting(ports)(() => true)));
    this.#setAudit = auditRule(this, () => this.audit(auditSpan(timeline.now)));
    this.table = new RecordTable(() => timeline.now, observe(this, setSweep));
    const delivery = this.#makeQueue('delivery');
    const slowDelivery = this.#makeQueue('slowDelivery', delivery);
    const [intake, replay] = [this.#makeQueue('intake'), this.#makeQueue('replay')];
    this.queues = { intake, delivery, slowDelivery, replay };
    this.#consumers = {
      intake: new Consumer(this, 'intake'),
      delivery: new Consumer(this, 'delivery'),
      slowDelivery: new Consumer(this, 'slowDelivery'),
      replay: new Consumer(this, 'replay'),
    };
  }

  /** The token of a transaction: the one that it names or a new one, as the SDK makes it. */
  tokenOf(named: string | undefined): string | undefined {
    this.#tokens += 1;
    return this.options.sendsTokens === false ? undefined : (named ?? `call ${this.#tokens}`);
  }

  /** Most scripts make none. */
  get schedules(): Schedules {
    this.#schedules ??= this.#makeSchedules();
    return this.#schedules;
  }

  makeScheduleToken(): string {
    this.#scheduleTokens += 1;
    return String(this.#scheduleTokens);
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

  send(queue: QueueName, body: string): void {
    this.#arrive(queue, this.queues[queue].newMessage({ body }));
  }

  /** A message arrives at its queue, unless a fault strikes. @throws AwsError when the queue refuses it */
  #arrive(queue: QueueName, message: Message): void {
    const { body } = message;
    if (this.#actor?.name === 'deliverSlow') this.violate('theSlowLanePassesNothingOn', body);
    const fault = this.faults.next('send');
    // A message from outside is on the queue, or was never sent.
    if (fault === 'refused' && this.#actor !== null) throw new AwsError('InternalError', 'The queue refused it', 500);
    if (fault === 'vanished' && queueIsAudited[queue] && this.#actor !== null) {
      this.journal.vanished.push(body);
      this.#setAudit();
      return;
    }
    this.#put(queue, message, fault === 'delayed' ? this.random.between(minute, 15 * minute) : 0);
    if (fault === 'duplicated')
      this.#put(queue, this.queues[queue].newMessage({ body }), this.random.below(5 * minute));
  }

  /** @param longer milliseconds for which it is delayed beside its own delay */
  #put(queue: QueueName, message: Message, longer: number): void {
    const delayedUntil = message.delayedUntil + longer;
    this.queues[queue].put({ ...message, delayedUntil });
    this.#consumers[queue].expect(delayedUntil - this.timeline.now);
  }

  #makeSchedules(): Schedules {
    const store = new ScheduleStore(undefined, 1);
    const groups = new Set([scheduleGroup]);
    return {
      store,
      groups,
      clock: clockOf(this.timeline),
      onAdded: ({ id, request }) =>
        fireAt(this, timeOf(request.ScheduleExpression), () => {
          store.markFired(id, this.timeline.now);
          const { QueueUrl, MessageBody } = messageOf(request);
          this.send(QueueUrl === 'delivery' ? 'delivery' : 'slowDelivery', MessageBody);
        }),
    };
  }

  #makeQueue(name: QueueName, sharing?: SimulatedQueue): SimulatedQueue {
    const { visibility, script } = this;
    const onSent = (message: Message): void => this.#arrive(name, message);
    const settings = { visibility, maxReceiveCount: script.maxReceiveCount, onSent };
    const queue = new SimulatedQueue(name, settings, this, sharing);
    this.sqs.add(queue);
    return queue;
  }
}
