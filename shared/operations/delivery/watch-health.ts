import type { RecordedAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import { storeHealth } from '#shared/aws/table/endpoints/endpoint-health.ts';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { type Health, healthAfter } from '#shared/domain/endpoint-health.ts';
import { type Ended, newsIn } from '#shared/domain/failure-streak.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { HealthChange } from './announce-changes.ts';
import { readTimed, type SharedReceiver } from './receiver.ts';

export type HealthDeps = Pick<Needs, 'table' | 'report' | 'monotonic'> & {
  /** Number of failures in a row of which the operator is told; `null` in a stage without notices. */
  readonly noticeAfter: number | null;
};

/**
 * Milliseconds for which a read of the endpoint decides that an outcome changes nothing. After a longer attempt, the
 * outcome of another delivery may have changed the health, so the endpoint is read again. An attempt begins at most half
 * a second after a read, so the outcomes of an endpoint that answers quickly need no other one.
 */
const judgedBy = 1_000;

/** Others that end deliveries of the endpoint at the same time may change its health between a read and a write. */
const maxTries = 10;

/** The health of an endpoint, and when a worker began to read or store it, by `monotonic`. */
type Known = { readonly health: Health; readonly readAt: number };

/**
 * Keeps the health of an endpoint during one batch: it follows the delivery that ended last. Ends are noted one after the
 * other.
 *
 * A change is stored before the outcome that causes it: if the worker dies in between, the delivery is still pending, and
 * the worker that ends it notes its end. The health is only for people, so a failure is reported and the attempt counts
 * without it; where notices are sent, the message then returns, and its end is noted again.
 */
export class HealthWatch {
  change: HealthChange = 'none';
  readonly #deps: HealthDeps;
  readonly #receiver: SharedReceiver;
  #own: Known | null = null;
  #isUnread = false;
  #noted: Promise<void> = Promise.resolve();

  /** @param receiver the endpoint: what its newest read shows already is not written again */
  constructor(deps: HealthDeps, receiver: SharedReceiver) {
    this.#deps = deps;
    this.#receiver = receiver;
  }

  /** Notes the end of a delivery, if it ends by this attempt. Call it before the attempt is recorded. */
  async noteAttempt({ key, entry, transition }: RecordedAttempt<Delivery>): Promise<void> {
    if (transition.status !== 'pending') await this.#add(endOf(key, transition), entry);
  }

  /** Notes the end of a delivery that another try recorded: its own write may have failed. */
  async noteEnd(delivery: Delivery): Promise<void> {
    const { status, endedAt, cancelled, log } = delivery;
    const entry = log.at(-1);
    if (status === 'pending' || endedAt === null || cancelled !== null || entry === undefined) return;
    await this.#add(endOf(delivery, { status, endedAt }), entry);
  }

  #add(ended: Ended, last: LoggedAttempt): Promise<void> {
    // Only handshakes go to other endpoints, whose status shows how they ended.
    if (this.#receiver.endpoint.status !== 'active') return Promise.resolve();
    this.#noted = this.#noted.then(async () => {
      // After a write that failed, others would delay the outcomes of the batch.
      if (this.change === 'unknown') return;
      try {
        await this.#note(ended, last);
      } catch (cause) {
        this.change = 'unknown';
        this.#fail(cause);
      }
    });
    return this.#noted;
  }

  #fail(cause: unknown): void {
    const { customerId, id: webhookId } = this.#receiver.endpoint;
    this.#deps.report({ name: 'step.failed', step: 'health', subject: { customerId, webhookId }, cause });
  }

  async #note(ended: Ended, last: LoggedAttempt): Promise<void> {
    const endedAt = this.#deps.monotonic();
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const { health, readAt } = this.#known();
      const after = healthAfter(health, ended, this.#deps.noticeAfter);
      const isDecided = after === health ? endedAt - readAt <= judgedBy : await this.#store(health, after, ended, last);
      // Otherwise what is known decides.
      if (isDecided || !(await this.#readAgain())) return;
    }
    const cause = new Error(`Cannot store the health: it changed during each of ${maxTries} tries`);
    this.#fail(cause);
  }

  #known(): Known {
    const { newest, readAt } = this.#receiver;
    const own = this.#own;
    return own === null || own.readAt < readAt ? { health: newest, readAt } : own;
  }

  /**
   * Reads the endpoint without its secrets: an outcome does not wait for KMS. After a read that failed, others would
   * delay the outcomes of the batch.
   *
   * @returns `false` when the endpoint was deleted or cannot be read
   */
  async #readAgain(): Promise<boolean> {
    if (this.#isUnread) return false;
    const { customerId, id } = this.#receiver.endpoint;
    try {
      const read = await readTimed(this.#deps, customerId, id);
      if (read !== null) this.#own = { health: read.endpoint, readAt: read.readAt };
      return read !== null;
    } catch (cause) {
      this.#isUnread = true;
      this.#fail(cause);
      return false;
    }
  }

  /** @returns `false` when the stored health is another one */
  async #store(before: Health, after: Health, ended: Ended, last: LoggedAttempt): Promise<boolean> {
    const { table, monotonic, report } = this.#deps;
    const { customerId, id } = this.#receiver.endpoint;
    const readAt = monotonic();
    const notice = noticeOf(before, after, ended, last);
    const isStored = await storeHealth(table, { customerId, id }, before, after, notice);
    // The response to this write may be to its repetition: a read then says what the first one did.
    this.change = 'stored';
    if (!isStored) return false;
    this.#own = { health: after, readAt };
    const wasFailing = before.failingSince !== null;
    if (wasFailing !== (after.failingSince !== null))
      report({ name: wasFailing ? 'endpoint.recovered' : 'endpoint.failing', endpoint: { customerId, id } });
    return true;
  }
}

function endOf({ id, event }: Delivery, end: Pick<Ended, 'status' | 'endedAt'>): Ended {
  return { ...end, deliveryId: id, isTest: event.type === 'webhook.test' };
}

function noticeOf(
  before: Health,
  after: Health,
  { deliveryId, endedAt: at }: Ended,
  { outcome, responseStatus, error }: LoggedAttempt,
): OwedNotice | undefined {
  const news = newsIn(before.failureStreak, after.failureStreak);
  return news === null ? undefined : { ...news, at, deliveryId, outcome, responseStatus, error };
}
