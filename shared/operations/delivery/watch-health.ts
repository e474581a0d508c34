import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type Ended, type Health, healthAfter } from '#shared/domain/endpoint-health.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { RecordAttempt } from '#shared/operations/ports.ts';
import type { AnnounceDeps, HealthChange } from './announce-changes.ts';

/**
 * Stores that a delivery to a live endpoint ended at a time (epoch milliseconds), if it changes the stored health of the
 * endpoint.
 *
 * @param notice is stored with the change, if the endpoint begins or ceases to fail
 * @returns whether it did
 */
type NoteEnd = (
  endpoint: Pick<Endpoint, 'customerId' | 'id'>,
  endedAt: number,
  notice?: OwedNotice,
) => Promise<boolean>;

/** Stores since when an endpoint fails, unless it fails since an earlier time or recovered at or after this one. */
export type MarkFailing = NoteEnd;

/** Stores that an endpoint recovered, if it fails since this time or an earlier one. */
export type ClearFailing = NoteEnd;

export type HealthDeps = Pick<AnnounceDeps, 'sendNotice' | 'report'> & {
  readonly recordAttempt: RecordAttempt;
  readonly markFailing: MarkFailing;
  readonly clearFailing: ClearFailing;
};

export type HealthWatch = {
  readonly recordAttempt: RecordAttempt;
  /** Notes the end of a delivery that another try recorded: its own write may have failed. */
  readonly noteEnd: (delivery: Delivery) => Promise<void>;
  readonly change: () => HealthChange;
};

/**
 * Records the attempts of one batch at one endpoint, and keeps the health of the endpoint.
 *
 * A change is stored before the outcome that causes it: if the worker dies in between, the delivery is still pending, and
 * the worker that ends it notes its end. The health is only for people, so a failure is reported and the attempt counts
 * without it; where notices are sent, the message then returns, and its end is noted again.
 *
 * @param endpoint as the worker read it: what it shows already is not written again
 */
export function watchHealth(deps: HealthDeps, endpoint: Endpoint): HealthWatch {
  let known: Health = endpoint;
  let change: HealthChange = 'none';
  let noted: Promise<void> = Promise.resolve();
  const note = async (ended: Ended, last: Last): Promise<void> => {
    const before = known;
    // Only handshakes go to other endpoints, whose status shows how they ended.
    if (endpoint.status === 'active') known = healthAfter(before, ended);
    if (known === before) return;
    const isKnown = await store(deps, endpoint, ended, noticeAbout(ended, last, before));
    change = isKnown && change !== 'unknown' ? 'stored' : 'unknown';
  };
  const noteInTurn = (ended: Ended, last: Last): Promise<void> => {
    noted = noted.then(() => note(ended, last));
    return noted;
  };
  return {
    change: () => change,
    recordAttempt: async (attempt) => {
      const { transition } = attempt;
      if (transition.status !== 'pending') await noteInTurn(transition, attempt);
      return deps.recordAttempt(attempt);
    },
    noteEnd: async (delivery) => {
      const { status, endedAt, cancelled, log } = delivery;
      const entry = log.at(-1);
      if (status === 'pending' || endedAt === null || cancelled !== null || entry === undefined) return;
      await noteInTurn({ status, endedAt }, { key: delivery, entry });
    },
  };
}

/** A delivery that ended, with its last attempt. */
type Last = { readonly key: DeliveryKey; readonly entry: LoggedAttempt };

function noticeAbout({ status, endedAt: at }: Ended, { key, entry }: Last, before: Health): OwedNotice {
  const { outcome, responseStatus, error } = entry;
  const about = { at, deliveryId: key.id, outcome, responseStatus, error };
  return status === 'failed'
    ? { ...about, type: 'endpoint.failing', failingSince: at }
    : { ...about, type: 'endpoint.recovered', failingSince: before.failingSince ?? at };
}

/** @returns whether the write succeeded */
async function store(
  { markFailing, clearFailing, sendNotice, report }: HealthDeps,
  { customerId, id }: Endpoint,
  { status, endedAt }: Ended,
  notice: OwedNotice,
): Promise<boolean> {
  const endpoint = { customerId, id };
  const write = status === 'failed' ? markFailing : clearFailing;
  try {
    const isChanged = await write(endpoint, endedAt, sendNotice === undefined ? undefined : notice);
    if (isChanged) report({ name: notice.type, endpoint });
    return true;
  } catch (cause) {
    report({ name: 'step.failed', step: 'health', subject: { customerId, webhookId: id }, cause });
    return false;
  }
}
