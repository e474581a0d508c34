import type { PostResult } from '#shared/domain/attempt.ts';
import type { Delivery, DueAttempt } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { Notice } from '#shared/domain/notice.ts';
import type { SendNotice } from '#shared/operations/delivery/announce-changes.ts';
import { type DeliverDeps, deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import { postTo, type SentRequest } from '../http/sent-request.ts';
import {
  type AttemptRequest,
  attemptRequest,
  type EndpointRequest,
  endpointRequest,
} from '../table/attempt-requests.ts';
import type { Io } from '../table/io.ts';
import { recordStore } from '../table/record-store.ts';
import { acknowledged, buildDelivery, buildEndpoint, openSealed, startOfTest } from '../values/builders.ts';
import { countingBytes, createClock, createJournal, createReports, createTimers } from './deps.ts';

export type Given = {
  readonly deliveries?: readonly Delivery[];
  readonly endpoints?: readonly Endpoint[];
  /** The receiver's answer; `acknowledged` by default. */
  readonly receiver?: (world: Delivering, request: SentRequest, onSlow: () => void) => PostResult | Promise<PostResult>;
  /** Called while the connection is opened, or the milliseconds that this takes; none by default. */
  readonly connecting?: number | ((world: Delivering) => void);
  /** Milliseconds that the function has left; 30 seconds by default. */
  readonly timeLeft?: (world: Delivering) => number;
  /** Called when the table is asked about an attempt or an endpoint, before and after it acts. Throws to fail that. */
  readonly strike?: (
    world: Delivering,
    moment: 'before' | 'after',
    does: AttemptRequest['does'] | EndpointRequest,
  ) => Promise<void> | void;
  readonly deps?: (world: Delivering) => Partial<DeliverDeps>;
};

type Strike = NonNullable<Given['strike']>;

const at =
  (when: Parameters<Strike>[1]) =>
  (what: Parameters<Strike>[2], run: (world: Delivering) => Promise<void> | void): Strike =>
  (world, moment, does) =>
    moment === when && does === what ? run(world) : undefined;

/** Strikes before the table does something, or after that. */
export const [asked, answered] = [at('before'), at('after')];

/** The delivery function over a table in this process, with a record of everything it did. */
export class Delivering {
  readonly clock = createClock(startOfTest);
  readonly timers = createTimers();
  readonly store: ReturnType<typeof recordStore>;
  readonly posts: SentRequest[] = [];
  readonly scheduled: { readonly due: DueAttempt; readonly at: number; readonly lane: Lane }[] = [];
  readonly passedOn: DueAttempt[] = [];
  /** The notices that were sent, of stages that send them. */
  readonly notices: Notice[] = [];
  /** How often an endpoint was read. */
  reads = 0;
  readonly #journal = createJournal();
  readonly #reports = createReports();
  readonly #run: (batch: readonly DueAttempt[]) => ReturnType<ReturnType<typeof deliverAttempts>>;

  constructor(given: Given = {}) {
    const { deliveries = [buildDelivery()], endpoints = [buildEndpoint()] } = given;
    this.store = recordStore({ deliveries, endpoints, io: this.#io(given) });
    const run = deliverAttempts({ ...this.#deps(given), ...given.deps?.(this) });
    this.#run = (batch) => run(batch, () => given.timeLeft?.(this) ?? 30_000);
  }

  deliver(...batch: readonly DueAttempt[]) {
    return this.#run(batch);
  }

  /** The calls that change something, in their order. */
  get steps(): readonly string[] {
    return this.#journal.entries;
  }

  get events() {
    return this.#reports.events;
  }

  /** The only delivery, as it is stored. */
  get stored(): Delivery | undefined {
    return this.store.deliveries.all()[0];
  }

  readonly sendNotice = this.#journal.note('notice', async (...[, notice]: Parameters<SendNotice>) => {
    this.notices.push(notice);
  });

  #io({ strike }: Given): Io {
    return async (request, effect) => {
      const does = attemptRequest(request)?.does ?? endpointRequest(request);
      if (does === null) return effect(0);
      if (does === 'read') this.reads += 1;
      else if (does !== 'turn') this.#journal.entries.push(does);
      const struck = strike?.(this, 'before', does);
      if (struck !== undefined) await struck;
      const result = effect(0);
      await strike?.(this, 'after', does);
      return result;
    };
  }

  #deps({ receiver = () => acknowledged, connecting = 0 }: Given): DeliverDeps {
    const { ports } = this.store;
    const { note } = this.#journal;
    return {
      table: ports.table,
      now: this.clock.now,
      monotonic: this.clock.now,
      dueToleranceMs: 0,
      serviceName: 'Service',
      standardWebhooks: true,
      randomBytes: countingBytes(),
      decryptSecret: openSealed,
      report: this.#reports.report,
      scheduleAttempt: note('schedule', async (due, at, lane) => {
        this.scheduled.push({ due, at, lane });
      }),
      after: this.timers.after,
      noticeAfter: null,
      lane: 'ordinary',
      enqueueAttempts: async (due) => {
        this.passedOn.push(...due);
        return [];
      },
      postEvent: postTo(
        note('post', (request: SentRequest, onSlow: () => void) => {
          this.posts.push(request);
          return receiver(this, request, onSlow);
        }),
        () => (typeof connecting === 'number' ? this.clock.pass(connecting) : connecting(this)),
      ),
    };
  }
}

/** What the delivery function did with some messages, by default with one of a first attempt, and what it left. */
export async function outcomeOf(given: Given = {}, ...batch: readonly DueAttempt[]) {
  const world = new Delivering(given);
  const results = await world.deliver(...(batch.length > 0 ? batch : [dueFor()]));
  return Object.assign(world, { results });
}

/** An attempt of a delivery that has come due; the first one by default. */
export function dueFor(attempt = 1, delivery: Partial<Delivery> = {}): DueAttempt {
  const { customerId, webhookId, id } = buildDelivery(delivery);
  return { key: { customerId, webhookId, id }, attempt };
}
