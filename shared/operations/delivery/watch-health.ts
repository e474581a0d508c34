import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type Ended, type Health, healthAfter } from '#shared/domain/endpoint-health.ts';
import type { RecordAttempt, Report } from '#shared/operations/ports.ts';

/**
 * Stores that a delivery to a live endpoint ended at a time (epoch milliseconds), if it changes the stored health of the
 * endpoint. @returns whether it did
 */
type NoteEnd = (endpoint: Pick<Endpoint, 'customerId' | 'id'>, endedAt: number) => Promise<boolean>;

/** Stores since when an endpoint fails, unless it fails since an earlier time or recovered at or after this one. */
export type MarkFailing = NoteEnd;

/** Stores that an endpoint recovered, if it fails since this time or an earlier one. */
export type ClearFailing = NoteEnd;

export type HealthDeps = {
  readonly recordAttempt: RecordAttempt;
  readonly markFailing: MarkFailing;
  readonly clearFailing: ClearFailing;
  readonly report: Report;
};

/**
 * Records the attempts of one batch at one endpoint, and keeps the health of the endpoint.
 *
 * A change is stored before the outcome that causes it: if the worker dies in between, the delivery is still pending, and
 * the worker that ends it notes its end. The health is only for people, so a failure is reported and the attempt counts
 * without it.
 *
 * @param endpoint as the worker read it: what it shows already is not written again
 */
export function watchHealth(deps: HealthDeps, endpoint: Endpoint): RecordAttempt {
  let known: Health = endpoint;
  let noted: Promise<void> = Promise.resolve();
  const note = async (ended: Ended): Promise<void> => {
    const next = healthAfter(known, ended);
    if (next === known) return;
    known = next;
    await store(deps, endpoint, ended);
  };
  return async (attempt) => {
    const { transition } = attempt;
    if (transition.status !== 'pending') {
      noted = noted.then(() => note(transition));
      await noted;
    }
    return deps.recordAttempt(attempt);
  };
}

async function store(
  { markFailing, clearFailing, report }: HealthDeps,
  { customerId, id }: Endpoint,
  { status, endedAt }: Ended,
): Promise<void> {
  const endpoint = { customerId, id };
  try {
    const isChanged = await (status === 'failed' ? markFailing : clearFailing)(endpoint, endedAt);
    if (isChanged) report({ name: `endpoint.${status === 'failed' ? 'failing' : 'recovered'}`, endpoint });
  } catch (cause) {
    report({ name: 'step.failed', step: 'health', subject: { customerId, webhookId: id }, cause });
  }
}
