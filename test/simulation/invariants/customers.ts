import { Problem } from '#shared/contract/problem.ts';
import { rotationOverlap } from '#shared/domain/signing-secret.ts';
import type { ApiCall } from '../world/journal.ts';
import type { Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

function noPostBeginsAfterADeletionWasAnswered({ journal, posts }: Seen): Verdict {
  for (const { webhookId, answeredAt } of deletions(journal.calls)) {
    const late = posts.find(({ endpoint, beganAt }) => endpoint.id === webhookId && beganAt > answeredAt);
    if (late !== undefined)
      return `${webhookId} was gone at ${answeredAt}, ${late.eventId} was posted at ${late.beganAt}`;
  }
  return null;
}

/** A customer who is told that the endpoint is not there looks for it elsewhere. */
function aDeletionIsAnsweredAsADeletion({ journal, endpoints, world }: Seen): Verdict {
  for (const { id, customerId } of endpoints) {
    const asked = journal.calls.filter(
      (call) => call.do === 'delete' && call.webhookId === id && !call.stranger,
    );
    const isRefused = ({ outcome }: ApiCall) => outcome?.ok === false && outcome.error instanceof Problem;
    if (world.table.liveEndpoint(customerId, id) === null && asked.length > 0 && asked.every(isRefused))
      return `${id} was deleted, and everyone who asked was told that it did not exist`;
  }
  return null;
}

function anAnsweredDeletionIsFinal({ journal, world }: Seen): Verdict {
  for (const { customerId, webhookId, answeredAt } of deletions(journal.calls)) {
    const versions =
      world.table.versionsOf(customerId, webhookId)?.within(answeredAt, world.timeline.now) ?? [];
    if (versions.some((version) => version !== null)) return `${webhookId} is live after ${answeredAt}`;
    if (!world.table.holdingsOf(customerId).tombstones.has(webhookId)) return `${webhookId} has no tombstone`;
  }
  return null;
}

/** Its deliveries are listed by the members of its tombstone. */
function aTombstoneShowsTheLastStateOfItsEndpoint({ endpoints, world }: Seen): Verdict {
  for (const { id, customerId, activatedAt, deliveryPartitions } of endpoints) {
    const tombstone = world.table.holdingsOf(customerId).tombstones.get(id);
    const isTrue =
      tombstone?.activatedAt === activatedAt && tombstone.deliveryPartitions === deliveryPartitions;
    if (tombstone !== undefined && !isTrue) return `${id} was active since ${activatedAt}`;
  }
  return null;
}

function* deletions(calls: readonly ApiCall[]) {
  for (const call of calls) {
    if (call.do !== 'delete' || call.outcome?.ok !== true || call.answeredAt === null) continue;
    yield { customerId: call.customerId, webhookId: call.webhookId, answeredAt: call.answeredAt };
  }
}

function aDeliveryIsOnlyCancelledWithItsEndpoint({ deliveries, world }: Seen): Verdict {
  for (const { id, cancelled, customerId, webhookId } of deliveries) {
    if (cancelled !== null && world.table.liveEndpoint(customerId, webhookId) !== null)
      return `${id} was cancelled, and ${webhookId} is live`;
  }
  return null;
}

function anotherCustomerSeesAndChangesNothing({ journal }: Seen): Verdict {
  for (const call of journal.calls) {
    if (!call.stranger || call.outcome === null) continue;
    const { outcome } = call;
    if (outcome.ok) return `another customer's ${call.do} succeeded`;
    if (outcome.error instanceof Problem && outcome.error.code !== 'not_found')
      return `another customer's ${call.do} got ${outcome.error.code}`;
  }
  return null;
}

function anEventGoesToItsOwnCustomer({ journal, posts }: Seen): Verdict {
  const owners = new Map(journal.fanOuts.map(({ fanOut, customerId }) => [fanOut.eventId, customerId]));
  const odd = posts.find(
    ({ endpoint, eventId }) => (owners.get(eventId) ?? endpoint.customerId) !== endpoint.customerId,
  );
  return odd === undefined ? null : `${odd.eventId} went to ${odd.endpoint.customerId}`;
}

/** A response to a registration shows what was stored at that time. */
function aRegistrationReturnsWhatIsStored({ journal, world, deliveries }: Seen): Verdict {
  for (const call of journal.calls) {
    if (call.do !== 'register' || call.outcome?.ok !== true) continue;
    const { endpoint, handshake } = call.outcome.value;
    const stored = deliveries.find(({ id }) => id === handshake.id);
    if (stored?.status !== handshake.status)
      return `${endpoint.id}: the handshake is ${stored?.status}, and was called ${handshake.status}`;
    const span = [call.startedAt, call.answeredAt ?? call.startedAt] as const;
    const versions = world.table.versionsOf(call.customerId, endpoint.id)?.within(...span) ?? [];
    const shown = versions.some((version) => (version?.status ?? 'deleted') === endpoint.status);
    const everHeld = versions.some((version) => version !== null);
    const hadToBe = endpoint.status === 'deleted' ? versions.at(-1) === null : shown;
    if (!everHeld || !hadToBe) return `${endpoint.id} was never ${endpoint.status}`;
  }
  return null;
}

function aRefusedRegistrationStoresNothing({ journal, endpoints }: Seen): Verdict {
  const urls = new Set(endpoints.map(({ url }) => url));
  for (const call of journal.calls) {
    if (call.do !== 'register' || call.outcome === null || call.outcome.ok) continue;
    if (call.outcome.error instanceof Problem && urls.has(call.url))
      return `${call.url} was refused and stored`;
  }
  return null;
}

function onlyADeletedEndpointIsNotFound({ journal, world }: Seen): Verdict {
  for (const call of journal.calls) {
    if ((call.do !== 'delete' && call.do !== 'rotate') || call.stranger) continue;
    if (call.outcome === null || call.outcome.ok || call.answeredAt === null) continue;
    const { error } = call.outcome;
    if (!(error instanceof Problem) || error.code !== 'not_found') continue;
    const versions = world.table.versionsOf(call.customerId, call.webhookId);
    if (versions?.within(call.startedAt, call.answeredAt).includes(null) !== true)
      return `${call.webhookId} was live all the time, and answered as not found`;
  }
  return null;
}

/** A previous secret is dropped only after its overlap, by the clock of the function that rotates. */
function anOverlapIsNeverCutShort({ endpoints, world, journal }: Seen): Verdict {
  for (const { customerId, id } of endpoints) {
    const rotations = (world.table.versionsOf(customerId, id)?.all ?? []).filter(
      ({ value }, index, all) =>
        value !== null && index > 1 && all[index - 1]?.value?.secret !== value.secret,
    );
    for (const [index, { since }] of rotations.entries()) {
      const before = rotations[index - 1];
      const least = rotationOverlap - 2 * journal.largestSkew - 60_000;
      if (before !== undefined && since - before.since < least)
        return `${id} was rotated at ${before.since} and at ${since}`;
    }
  }
  return null;
}

export const customerPromises = [
  noPostBeginsAfterADeletionWasAnswered,
  aDeletionIsAnsweredAsADeletion,
  anAnsweredDeletionIsFinal,
  aTombstoneShowsTheLastStateOfItsEndpoint,
  aDeliveryIsOnlyCancelledWithItsEndpoint,
  anotherCustomerSeesAndChangesNothing,
  anEventGoesToItsOwnCustomer,
  aRegistrationReturnsWhatIsStored,
  aRefusedRegistrationStoresNothing,
  onlyADeletedEndpointIsNotFound,
  anOverlapIsNeverCutShort,
];
