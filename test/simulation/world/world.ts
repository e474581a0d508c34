import type { SQSBatchResponse } from 'aws-lambda';
import { fittingReason } from '#shared/aws/queues/send-to-dead-letters.ts';
import { auditSpan } from '#shared/domain/progress.ts';
import type { Span } from '#shared/operations/delivery/audit-deliveries.ts';
import { slowLane } from '../../../lib/functions.ts';
import type { Service } from '../../support/memory/io.ts';
import { MemoryTable } from '../../support/memory/memory-table.ts';
import { type DeadLetter, MemoryQueue } from '../../support/memory/queue.ts';
import { MemoryScheduler } from '../../support/memory/scheduler.ts';
import { Consumer } from './consumer.ts';
import { Faults } from './faults.ts';
import {
  type ConsumedQueue,
  type FunctionName,
  functions,
  type QueueHandler,
  timeoutOf,
} from './functions.ts';
import { type Host, Invocation, type Outcome } from './invocation.ts';
import { Journal, type Violation } from './journal.ts';
import { observe } from './observer.ts';
import { type Backend, connect, type PortPatch, type Ports } from './ports.ts';
import { Random } from './random.ts';
import { Receivers } from './receivers.ts';
import { RequestTokens } from './request-tokens.ts';
import type { QueueName, Script } from './script.ts';
import { Timeline } from './timeline.ts';
import { auditRule, fireAt, type Rule, sweepRule } from './timers.ts';

/** The queue of each lane. */
const queueOf = { ordinary: 'delivery', slow: 'slowDelivery' } as const;

/** Whether the audit finds what the loss of a message strands. */
const queueIsAudited = { intake: false, delivery: true, slowDelivery: true, replay: false } as const;

/** Changes to the world; only mutants and traces use them. */
export type WorldOptions = {
  readonly patch?: PortPatch;
  /** Milliseconds; as deployed unless given. */
  readonly visibility?: number;
  readonly respond?: (response: SQSBatchResponse) => SQSBatchResponse;
  /** The reason, or the part of it, that a dead letter gets beside its body. */
  readonly reasonBeside?: (body: string, reason: string) => string | null;
  /** The remaining milliseconds that a function is shown. */
  readonly timeLeft?: (left: number) => number;
  /** Whether the client gives each transaction a request token; it does unless given. */
  readonly sendsTokens?: boolean;
  readonly trace?: (time: number, line: string) => void;
};

export const startOfWorld = Date.UTC(2026, 0, 1);
const minute = 60_000;
/** As deployed. */
const deployedVisibility = 6 * timeoutOf('deliver') * 1000;
const consuming = {
  intake: { name: 'intake', batchSize: 10, batchWindow: 0 },
  delivery: { name: 'deliver', batchSize: 10, batchWindow: 0 },
  slowDelivery: {
    name: 'deliverSlow',
    batchSize: slowLane.batchSize,
    batchWindow: slowLane.batchWindow * 1000,
  },
  replay: { name: 'replayStep', batchSize: 1, batchWindow: 0 },
} as const satisfies Readonly<Record<QueueName, unknown>>;

/** Queues, table, timers, receivers and the functions between them, in one process and in virtual time. */
export class World {
  readonly script: Script;
  readonly journal = new Journal();
  readonly timeline = new Timeline(startOfWorld);
  readonly random: Random;
  readonly table: MemoryTable;
  readonly receivers: Receivers;
  readonly queues: Readonly<Record<QueueName, MemoryQueue>>;
  readonly #options: WorldOptions;
  readonly #faults: Faults;
  readonly #host: Host;
  readonly #backend: Backend;
  readonly #audits: Rule;
  readonly #consumers: Readonly<Record<QueueName, Consumer>>;
  readonly #live = new Set<Invocation>();
  readonly #outages = new Map<Service, number>();
  #actor: Invocation | null = null;
  #invocations = 0;

  constructor(script: Script, options: WorldOptions = {}) {
    const { journal, timeline } = this;
    this.script = script;
    this.#options = options;
    this.random = new Random(script.seed);
    this.receivers = new Receivers(script);
    this.#faults = new Faults(script.faults, (kind) => void journal.faults.push(kind));
    this.#host = this.#makeHost();
    const sweeps = { set: (): void => {} };
    this.table = new MemoryTable(
      () => timeline.now,
      observe(
        this,
        () => this.#actor,
        () => sweeps.set(),
      ),
    );
    const rule = sweepRule(this.#host, this.table, () =>
      this.invoke('sweep', (ports) => functions.sweep(ports)()),
    );
    sweeps.set = () => rule.set();
    this.#audits = auditRule(this.#host, this.table, () => this.audit(auditSpan(timeline.now)));
    const delivery = this.#makeQueue();
    const slowDelivery = this.#makeQueue(delivery.deadLetters);
    this.queues = { intake: this.#makeQueue(), delivery, slowDelivery, replay: this.#makeQueue() };
    this.#consumers = {
      intake: this.#consume('intake'),
      delivery: this.#consume('delivery'),
      slowDelivery: this.#consume('slowDelivery'),
      replay: this.#consume('replay'),
    };
    this.#backend = this.#makeBackend();
  }

  /** Starts a function and reports its outcome, unless it dies. */
  invoke<T>(
    name: FunctionName,
    work: (ports: Ports) => Promise<T>,
    whenDone: (outcome: Outcome<T>) => void = () => {},
  ): void {
    const invocation = this.#start(name);
    invocation.run(() => work(this.#connect(invocation)), whenDone);
  }

  beginOutage(service: Service, lasts: number): void {
    this.journal.outages += 1;
    this.#outages.set(service, this.timeline.now + lasts);
  }

  killAll(): void {
    this.journal.powerCuts += 1;
    for (const invocation of this.#live) invocation.crash();
    this.#live.clear();
  }

  /** From now on, nothing fails. */
  calm(): void {
    this.#faults.end();
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

  violate(promise: string, detail: string): void {
    this.report([{ promise, detail }]);
  }

  report(violations: readonly Violation[]): void {
    if (violations.length === 0) return;
    this.journal.violations.push(...violations);
    this.timeline.stop();
  }

  #makeHost(): Host {
    const { timeline, random } = this;
    return {
      timeline,
      random,
      faults: this.#faults,
      isDown: (service) => (this.#outages.get(service) ?? 0) > timeline.now,
      actAs: (invocation, effect) => {
        this.#actor = invocation;
        try {
          return effect();
        } finally {
          this.#actor = null;
        }
      },
      tokens: new RequestTokens(() => timeline.now, this.#options.sendsTokens ?? true),
      trace: this.#options.trace ?? null,
    };
  }

  #makeBackend(): Backend {
    const { table, receivers } = this;
    return {
      host: this.#host,
      table,
      receivers,
      scheduler: new MemoryScheduler((name, body, dueAt, lane) =>
        fireAt(this.#host, dueAt, () => {
          this.#backend.scheduler.complete(name);
          this.send(queueOf[lane], body);
        }),
      ),
      secretCache: new Map(),
      customerCache: new Map(),
      retentionDays: this.script.retentionDays ?? null,
      journal: this.journal,
      areQueuesEmpty: () => Object.values(this.queues).every(({ bodies }) => bodies.length === 0),
      sendTo: {
        ordinary: (body, delay) => this.send(queueOf.ordinary, body, delay),
        slow: (body, delay) => this.send(queueOf.slow, body, delay),
        replay: (body, delay) => this.send('replay', body, delay),
      },
    };
  }

  #makeQueue(deadLetters: DeadLetter[] = []): MemoryQueue {
    const { visibility = deployedVisibility } = this.#options;
    const { maxReceiveCount } = this.script;
    return new MemoryQueue({ visibility, maxReceiveCount }, () => this.timeline.now, deadLetters);
  }

  #consume(queue: QueueName): Consumer {
    const { visibility = deployedVisibility, timeLeft = (left: number) => left } = this.#options;
    const { reasonBeside = fittingReason } = this.#options;
    const { respond = (response: SQSBatchResponse) => response } = this.#options;
    const { name, batchSize, batchWindow } = consuming[queue];
    return new Consumer(this.#host, this.queues[queue], {
      visibility,
      batchSize,
      batchWindow,
      onOverlap: (body) => this.violate('oneFunctionHoldsAMessageAtATime', body),
      start: () => {
        const invocation = this.#start(name);
        const consumed: ConsumedQueue = {
          bury: (body, reason) => this.queues[queue].bury({ body, reason: reasonBeside(body, reason) }),
          showAfter: (handle, milliseconds) => {
            this.queues[queue].changeVisibility(handle, milliseconds);
            this.#consumers[queue].expect(milliseconds);
          },
        };
        const handler: QueueHandler = functions[name](this.#connect(invocation), invocation.io, consumed);
        const context = { getRemainingTimeInMillis: () => timeLeft(invocation.timeLeft()) };
        return { invocation, handler: async (event) => respond(await handler(event, context)) };
      },
    });
  }

  /** Sends a message to a queue. @returns `false` when the queue refuses it, which only a function sees */
  send(queue: QueueName, body: string, wait = 0): boolean {
    if (this.#actor?.name === 'deliverSlow') this.violate('theSlowLanePassesNothingOn', body);
    const fault = this.#faults.next('send');
    // A message from outside is on the queue, or was never sent.
    if (fault === 'refused' && this.#actor !== null) return false;
    if (fault === 'vanished' && queueIsAudited[queue] && this.#actor !== null) {
      this.journal.vanished.push(body);
      this.#audits.set();
      return true;
    }
    const delay = wait + (fault === 'delayed' ? this.random.between(minute, 15 * minute) : 0);
    this.#put(queue, body, delay);
    if (fault === 'duplicated') this.#put(queue, body, this.random.below(5 * minute));
    return true;
  }

  #put(queue: QueueName, body: string, delay: number): void {
    this.queues[queue].send(body, delay);
    this.#consumers[queue].expect(delay);
  }

  #start(name: FunctionName): Invocation {
    this.#invocations += 1;
    for (const other of this.#live) if (!other.alive) this.#live.delete(other);
    const invocation = new Invocation(this.#host, this.#invocations, name, timeoutOf(name));
    this.#live.add(invocation);
    this.journal.largestSkew = Math.max(this.journal.largestSkew, invocation.largestSkew);
    return invocation;
  }

  #connect(invocation: Invocation): Ports {
    const ports = connect(this.#backend, invocation);
    const { patch } = this.#options;
    return patch === undefined ? ports : { ...ports, ...patch(ports, this.#backend, invocation) };
  }

  /** Runs the regular audit, or that of an operator over another span. */
  audit(span: Span): void {
    this.invoke('audit', (ports) => functions.audit(ports)(span));
  }
}
