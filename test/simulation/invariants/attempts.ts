import { readEvent } from '#shared/contract/event-body.ts';
import { claimedAt, type Delivery, isHandshake } from '#shared/domain/delivery.ts';
import {
  attemptTimeout,
  claimGrace,
  claimLease,
  maxAttempts,
  timeToClaim,
} from '#shared/domain/retry-plan.ts';
import type { Claim } from '../world/journal.ts';
import { countBy, type Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

function aDeliveryIsPostedAtMostThreeTimes({ deliveries, posts, pairOf }: Seen): Verdict {
  const allowed = countBy(deliveries, pairOf);
  for (const [pair, count] of countBy(posts, ({ endpoint, eventId }) => `${endpoint.id} ${eventId}`)) {
    const most = maxAttempts * (allowed.get(pair) ?? 0);
    if (count > most) return `${pair} was posted ${count} times, and at most ${most} were allowed`;
  }
  return null;
}

/** A function posts at most once for each claim that it made before. */
function everyPostFollowsItsClaim({ posts, journal, pairOf }: Seen): Verdict {
  const taken = countBy(
    journal.claims,
    ({ invocation, delivery }) => `${invocation?.id} ${pairOf(delivery)}`,
  );
  for (const { claimedAt, invocation, endpoint, eventId } of posts) {
    if (claimedAt === null) return `${invocation.name} ${invocation.id} posted ${eventId} to ${endpoint.id}`;
  }
  const made = countBy(posts, (post) => `${post.invocation.id} ${post.endpoint.id} ${post.eventId}`);
  for (const [name, count] of made) {
    if (count > (taken.get(name) ?? 0)) return `${name} was posted ${count} times by one function`;
  }
  return null;
}

/** Early enough that the POST ends long before the lease. */
function everyPostBeginsSoonAfterItsClaim({ posts }: Seen): Verdict {
  const longest = claimGrace + attemptTimeout;
  const late = posts.find(({ beganAt, claimedAt: taken }) => beganAt - (taken ?? beganAt) > longest);
  return late === undefined
    ? null
    : `${late.eventId} was taken at ${late.claimedAt}, posted at ${late.beganAt}`;
}

function anAttemptIsClaimedOnceUnlessItIsGivenBack({ journal }: Seen): Verdict {
  const nameOf = ({ delivery }: Claim): string => `${delivery.id} attempt ${delivery.attempts}`;
  const released = countBy(journal.released, nameOf);
  for (const [name, count] of countBy(journal.claims, nameOf))
    if (count > 1 + (released.get(name) ?? 0)) return `${name} was taken ${count} times`;
  return null;
}

/** A worker posts at most once for each claim that it kept. */
function onlyItsWorkerGivesAClaimBackAndOnlyIfNothingWasSent({ journal, posts, pairOf }: Seen): Verdict {
  const stolen = journal.released.find(({ delivery }) => !journal.releasesAsked.has(tokenOf(delivery)));
  if (stolen !== undefined) return `${stolen.delivery.id} was given back by another worker`;
  const nameOf = ({ invocation, delivery }: Claim): string => `${invocation?.id} ${pairOf(delivery)}`;
  const givenBack = new Set(journal.released.map(({ delivery }) => tokenOf(delivery)));
  const kept = countBy(
    journal.claims.filter(({ delivery }) => !givenBack.has(tokenOf(delivery))),
    nameOf,
  );
  const made = countBy(posts, (post) => `${post.invocation.id} ${post.endpoint.id} ${post.eventId}`);
  for (const [name, count] of made) {
    const taken = kept.get(name) ?? 0;
    if (count > taken) return `${name} was posted ${count} times, under ${taken} claims that were kept`;
  }
  return null;
}

/**
 * An attempt counts as interrupted if its worker died, recorded its outcome too late, or tried in vain to give it back.
 * A worker that knows that nothing was sent always tries to give its claim back.
 */
function anInterruptedAttemptWasMadeOrItsWorkerDied({ journal }: Seen): Verdict {
  for (const { before, after } of journal.recorded) {
    const token = before.claim?.fencingToken;
    if (after.log.at(-1)?.outcome !== 'interrupted' || token === undefined) continue;
    const worker = claimOf(journal, token)?.invocation;
    // The one attempt of a handshake is made inside its request, which fails as a whole.
    if (worker?.name === 'register') continue;
    const isExplained =
      worker?.died === true || journal.recordsAsked.has(token) || journal.releasesAsked.has(token);
    if (!isExplained) return `${before.id}: attempt ${before.attempts} counts, and was not made`;
  }
  return null;
}

function noAttemptIsClaimedWithoutEnoughTime({ journal }: Seen): Verdict {
  const hasty = journal.claimsAsked.find(({ timeLeft }) => timeLeft < timeToClaim);
  return hasty === undefined ? null : `an attempt was taken with ${hasty.timeLeft} ms left`;
}

function claimOf(journal: Seen['journal'], token: string): Claim | undefined {
  return journal.claims.find(({ delivery }) => delivery.claim?.fencingToken === token);
}

function tokenOf(delivery: Delivery): string {
  return delivery.claim?.fencingToken ?? '';
}

function everyAttemptOfAnEndedDeliveryIsInItsLog({ deliveries }: Seen): Verdict {
  const gap = deliveries.find(
    ({ status, cancelled, attempts, log }) =>
      status !== 'pending' && cancelled === null && log.length !== attempts,
  );
  return gap === undefined ? null : `${gap.id} has ${gap.attempts} attempts, ${gap.log.length} logged`;
}

/** By the clocks of the two functions, with their errors. */
function noClaimIsTakenOverBeforeItsLeaseEnds({ journal }: Seen): Verdict {
  for (const { at, invocation, before, after } of journal.recorded) {
    if (after.log.at(-1)?.outcome !== 'interrupted') continue;
    const asked = journal.claimsAsked.find(({ token }) => token === before.claim?.fencingToken);
    // A handshake is stored with its claim.
    const taken = asked?.at ?? (before.claim === null ? at : claimedAt(before.claim));
    // Its clock may be set back between the decision and the record.
    const held = at + (invocation?.skewAt(invocation.startedAt) ?? 0) - taken;
    if (held < claimLease) return `${before.id} was given up after ${held} ms`;
  }
  return null;
}

function deliveredMeansAcknowledgedInTime({ journal, deliveries, posts, pairOf }: Seen): Verdict {
  const acknowledged = countBy(
    posts.filter((post) => post.acknowledged),
    ({ endpoint, eventId }) => `${endpoint.id} ${eventId}`,
  );
  const isOfRun = ({ id, status }: Delivery) => status === 'delivered' && !journal.endedBefore.has(id);
  const delivered = deliveries.filter(isOfRun);
  for (const [pair, count] of countBy(delivered, pairOf)) {
    if (count > (acknowledged.get(pair) ?? 0)) return `${pair} was not acknowledged as often as delivered`;
  }
  const odd = delivered.find(({ log }) => log.at(-1)?.outcome !== 'acknowledged');
  return odd === undefined ? null : `${odd.id} is delivered without an acknowledged attempt`;
}

function failedMeansAllAttemptsFailedOrTheEndpointIsDeleted({ deliveries }: Seen): Verdict {
  for (const { id, status, cancelled, attempts, log, body, replayOf } of deliveries) {
    if (status !== 'failed') continue;
    if (log.some(({ outcome }) => outcome === 'acknowledged')) return `${id} failed though acknowledged`;
    const all = isHandshake({ event: readEvent(body), replayOf }) ? 1 : maxAttempts;
    if (cancelled === null && attempts !== all) return `${id} failed after ${attempts} attempts`;
  }
  return null;
}

export const attemptPromises = [
  aDeliveryIsPostedAtMostThreeTimes,
  everyPostFollowsItsClaim,
  everyPostBeginsSoonAfterItsClaim,
  anAttemptIsClaimedOnceUnlessItIsGivenBack,
  onlyItsWorkerGivesAClaimBackAndOnlyIfNothingWasSent,
  anInterruptedAttemptWasMadeOrItsWorkerDied,
  noAttemptIsClaimedWithoutEnoughTime,
  everyAttemptOfAnEndedDeliveryIsInItsLog,
  noClaimIsTakenOverBeforeItsLeaseEnds,
  deliveredMeansAcknowledgedInTime,
  failedMeansAllAttemptsFailedOrTheEndpointIsDeleted,
];
