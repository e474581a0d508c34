import { Problem } from '#shared/contract/problem.ts';
import { rotationOverlap } from '#shared/domain/signing-secret.ts';
import type { ApiCall } from '../world/journal.ts';
import type { Promises } from './promises.ts';
import { answered, callsOf, isRefusal, type Seen, statesOf } from './seen.ts';

export const customerPromises = {
  *noPostBeginsAfterADeletionWasAnswered({ journal, posts }) {
    for (const { webhookId, answeredAt } of answered(journal.calls, 'delete')) {
      for (const { endpoint, eventId, beganAt } of posts) {
        if (endpoint.id === webhookId && beganAt > answeredAt)
          yield `${webhookId} was gone at ${answeredAt}, ${eventId} was posted at ${beganAt}`;
      }
    }
  },

  *noConnectionBeginsAfterADeletionWasAnswered({ journal, endpoints }) {
    for (const { webhookId, answeredAt } of answered(journal.calls, 'delete')) {
      const url = endpoints.find(({ id }) => id === webhookId)?.url;
      const late = journal.connections.find((connection) => connection.url === url && connection.at > answeredAt);
      if (late !== undefined) yield `${webhookId} was gone at ${answeredAt}, and connected to at ${late.at}`;
    }
  },

  /** A customer who is told that the endpoint is not there looks for it elsewhere. */
  *aDeletionIsAnsweredAsADeletion({ journal, endpoints, world }) {
    for (const { id, customerId } of endpoints) {
      const asked = callsOf(journal.calls, 'delete').filter(({ webhookId, stranger }) => webhookId === id && !stranger);
      const isRefused = ({ outcome }: ApiCall) => outcome?.ok === false && outcome.error instanceof Problem;
      if (world.table.liveEndpoint(customerId, id) === null && asked.length > 0 && asked.every(isRefused))
        yield `${id} was deleted, and everyone who asked was told that it did not exist`;
    }
  },

  *anAnsweredDeletionIsFinal({ journal, world }) {
    for (const { customerId, webhookId, answeredAt } of answered(journal.calls, 'delete')) {
      const states = statesOf(world, { customerId, webhookId }, answeredAt, world.timeline.now);
      if (states.some((state) => state !== null)) yield `${webhookId} is live after ${answeredAt}`;
      if (!world.table.holdingsOf(customerId).tombstones.has(webhookId)) yield `${webhookId} has no tombstone`;
    }
  },

  /** Its deliveries are listed by the members of its tombstone. */
  *aTombstoneShowsTheLastStateOfItsEndpoint({ endpoints, world }) {
    for (const { id, customerId, activatedAt, deliveryPartitions } of endpoints) {
      const shown = world.table.holdingsOf(customerId).tombstones.get(id);
      if (shown === undefined) continue;
      if (shown.activatedAt !== activatedAt || shown.deliveryPartitions !== deliveryPartitions)
        yield `${id} was active since ${activatedAt}`;
    }
  },

  *aDeliveryIsOnlyCancelledWithItsEndpoint({ deliveries, world }) {
    for (const { id, cancelled, customerId, webhookId } of deliveries) {
      if (cancelled !== null && world.table.liveEndpoint(customerId, webhookId) !== null)
        yield `${id} was cancelled, and ${webhookId} is live`;
    }
  },

  *anotherCustomerSeesAndChangesNothing({ journal }) {
    for (const { do: done, stranger, outcome } of journal.calls) {
      if (!stranger || outcome === null) continue;
      if (outcome.ok) yield `another customer's ${done} succeeded`;
      else if (isRefusal(outcome.error) && outcome.error.code !== 'not_found')
        yield `another customer's ${done} got ${outcome.error.code}`;
    }
  },

  *anEventGoesToItsOwnCustomer({ journal, posts }) {
    const owners = new Map(journal.fanOuts.map(({ fanOut, customerId }) => [fanOut.eventId, customerId]));
    for (const { endpoint, eventId } of posts) {
      if ((owners.get(eventId) ?? endpoint.customerId) !== endpoint.customerId)
        yield `${eventId} went to ${endpoint.customerId}`;
    }
  },

  /** A response to a registration shows what was stored at that time. A handshake that an earlier try left ends later. */
  *aRegistrationReturnsWhatIsStored({ journal, world, deliveries }) {
    for (const { customerId, outcome, answeredAt, key, url } of answered(journal.calls, 'register')) {
      const { endpoint, handshake } = outcome.value;
      const stored = deliveries.find(({ id }) => id === handshake.id);
      const isLeft = key !== null && handshake.status === 'pending' && stored !== undefined;
      if (stored?.status !== handshake.status && !isLeft)
        yield `${endpoint.id}: the handshake is ${stored?.status}, and was called ${handshake.status}`;
      const tries = callsOf(journal.calls, 'register').filter((call) => call.url === url);
      const begunAt = Math.min(...tries.map(({ startedAt }) => startedAt));
      const states = statesOf(world, { customerId, webhookId: endpoint.id }, begunAt, answeredAt);
      const shown = states.some((state) => (state?.status ?? 'deleted') === endpoint.status);
      const everHeld = states.some((state) => state !== null);
      const hadToBe = endpoint.status === 'deleted' ? states.at(-1) === null : shown;
      if (!everHeld || !hadToBe) yield `${endpoint.id} was never ${endpoint.status}`;
    }
  },

  *aRefusedRegistrationStoresNothing({ journal, endpoints }) {
    const asked = Map.groupBy(callsOf(journal.calls, 'register'), ({ url }) => url);
    for (const { url } of endpoints) {
      const isRefused = asked.get(url)?.every(({ outcome }) => outcome?.ok === false && isRefusal(outcome.error));
      if (isRefused === true) yield `${url} was refused and stored`;
    }
  },

  *onlyADeletedEndpointIsNotFound({ journal, world }) {
    const calls = [...callsOf(journal.calls, 'delete'), ...callsOf(journal.calls, 'rotate')];
    for (const { customerId, webhookId, stranger, outcome, startedAt, answeredAt } of calls) {
      if (stranger || outcome?.ok !== false || answeredAt === null) continue;
      if (!(outcome.error instanceof Problem) || outcome.error.code !== 'not_found') continue;
      if (!statesOf(world, { customerId, webhookId }, startedAt, answeredAt).includes(null))
        yield `${webhookId} was live all the time, and answered as not found`;
    }
  },

  /** A previous secret is dropped only after its overlap, by the clock of the function that rotates. */
  *anOverlapIsNeverCutShort({ endpoints, world, journal }) {
    for (const { customerId, id } of endpoints) {
      const rotations = (world.table.versionsOf(customerId, id)?.all ?? []).filter(
        ({ value }, index, all) => value !== null && index > 1 && all[index - 1]?.value?.secret !== value.secret,
      );
      for (const [index, { since }] of rotations.entries()) {
        const before = rotations[index - 1];
        const least = rotationOverlap - 2 * journal.largestSkew - 60_000;
        if (before !== undefined && since - before.since < least)
          yield `${id} was rotated at ${before.since} and at ${since}`;
      }
    }
  },
} satisfies Promises<Seen>;
