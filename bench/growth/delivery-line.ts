import type { Table } from '#shared/aws/clients.ts';
import { intakePorts } from '#shared/aws/intake-ports.ts';
import { readAttemptTimes } from '#shared/aws/table/attempt-times.ts';
import { claimAttempt, recordAttempt } from '#shared/aws/table/attempts.ts';
import { isCustomerKnown } from '#shared/aws/table/customers.ts';
import { listListeners, noteLastDelivery, readLiveEndpoint } from '#shared/aws/table/endpoints.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { noTimings } from '#shared/domain/attempt.ts';
import { customerMemory } from '#shared/domain/customer.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type { PostEvent } from '#shared/operations/ports.ts';
import { after, backoff, randomBytes } from '#shared/runtime/system.ts';
import { exampleMessage } from '../../operator/example-messages.ts';
import { baseUrl, measured, timeAfterAll } from './records.ts';

/** Milliseconds; a worker has no reason to hurry. */
const timeLeft = () => 60_000;
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** The table's part of a delivery: everything but the POST, the queues and the decryption of the secret. */
export function deliverEvents(table: Table): () => Promise<void> {
  const queued: DueAttempt[] = [];
  const accept = acceptIntake({
    ...intakeDeps(table),
    enqueueAttempts: async (due) => {
      queued.push(...due);
      return [];
    },
    enqueueSlowAttempts: unused('enqueueSlowAttempts'),
  });
  const deliver = deliverAttempts(deliverDeps(table));
  return async () => {
    const message = exampleMessage(
      'run.settled',
      { customer: measured.customerId },
      timeAfterAll,
      randomBytes,
    );
    const accepted = await accept([intakeMessage.parse(message)]);
    const delivered = await deliver(queued.splice(0), timeLeft);
    if (accepted[0] === 'done' && delivered[0] === 'done') return;
    throw new Error('Cannot measure: the event was not delivered');
  };
}

/** A clock that stands still: the time of the endpoint's last attempt is then stored once, as within a busy second. */
const now = () => timeAfterAll;
const report = () => {};

function intakeDeps(table: Table) {
  return {
    now,
    report,
    baseUrl,
    isCustomerKnown: isCustomerKnown(table, {
      maxEntries: 10,
      timeToLive: customerMemory,
      now,
      monotonic: now,
    }),
    listLiveEndpoints: listListeners(table),
    ...intakePorts(table, backoff),
  };
}

function deliverDeps(table: Table): Parameters<typeof deliverAttempts>[0] {
  return {
    now,
    monotonic: now,
    after,
    randomBytes,
    report,
    dueToleranceMs: 0,
    serviceName: 'Service',
    standardWebhooks: true,
    postEvent,
    decryptSecret: async () => secret,
    readLiveEndpoint: readLiveEndpoint(table),
    claimAttempt: claimAttempt(table),
    recordAttempt: recordAttempt(table),
    readAttemptTimes: readAttemptTimes(table),
    noteLastDelivery: noteLastDelivery(table),
    releaseAttempt: unused('releaseAttempt'),
    cancelDelivery: unused('cancelDelivery'),
    scheduleAttempt: unused('scheduleAttempt'),
    markSlow: unused('markSlow'),
    clearSlow: unused('clearSlow'),
    passOn: unused('passOn'),
  };
}

/** A receiver that acknowledges at once. */
const postEvent: PostEvent = async ({ headers }) => {
  const made = await headers();
  if (typeof made === 'string') return made;
  return { outcome: 'acknowledged', responseStatus: 200, error: null, durationMs: 123, timings: noTimings };
};

function unused(name: string) {
  return async (): Promise<never> => {
    throw new Error(`Cannot measure: ${name} was called`);
  };
}
