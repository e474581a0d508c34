import { readEventBody } from '../../../shared/contract/event-body.ts';
import { isHandshake } from '../../../shared/domain/delivery.ts';
import { claimGrace, claimLease, maxAttempts } from '../../../shared/domain/retry-plan.ts';
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

/** A function posts no more often than it took attempts before. */
function everyPostIsOfAnAttemptThatWasTakenBefore({ posts, journal, pairOf }: Seen): Verdict {
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

/** So that it is long over when the lease ends. */
function everyPostBeginsSoonAfterItsAttemptWasTaken({ posts }: Seen): Verdict {
  const late = posts.find(({ calledAt, claimedAt }) => calledAt - (claimedAt ?? calledAt) > claimGrace);
  return late === undefined
    ? null
    : `${late.eventId} was taken at ${late.claimedAt}, posted at ${late.calledAt}`;
}

function anAttemptIsTakenOnce({ journal }: Seen): Verdict {
  const taken = countBy(journal.claims, ({ delivery }) => `${delivery.id} attempt ${delivery.attempts}`);
  for (const [name, count] of taken) if (count > 1) return `${name} was taken ${count} times`;
  return null;
}

function everyAttemptOfAnEndedDeliveryIsInItsLog({ deliveries }: Seen): Verdict {
  const gap = deliveries.find(
    ({ status, cancelled, attempts, log }) =>
      status !== 'pending' && cancelled === null && log.length !== attempts,
  );
  return gap === undefined ? null : `${gap.id} has ${gap.attempts} attempts, ${gap.log.length} logged`;
}

/** By the clocks of those who took the attempt and who gave it up, whatever these show. */
function noFunctionIsGivenUpBeforeItsLeaseIsOver({ journal }: Seen): Verdict {
  for (const { at, invocation, before, after } of journal.recorded) {
    if (after.log.at(-1)?.outcome !== 'interrupted') continue;
    const held = at + (invocation?.skew ?? 0) - (before.lastAttemptAt ?? at);
    if (held < claimLease) return `${before.id} was given up after ${held} ms`;
  }
  return null;
}

function deliveredMeansAcknowledgedInTime({ deliveries, posts, pairOf }: Seen): Verdict {
  const acknowledged = countBy(
    posts.filter((post) => post.acknowledged),
    ({ endpoint, eventId }) => `${endpoint.id} ${eventId}`,
  );
  const delivered = deliveries.filter(({ status }) => status === 'delivered');
  for (const [pair, count] of countBy(delivered, pairOf)) {
    if (count > (acknowledged.get(pair) ?? 0)) return `${pair} was not acknowledged as often as delivered`;
  }
  const odd = delivered.find(({ log }) => log.at(-1)?.outcome !== 'acknowledged');
  return odd === undefined ? null : `${odd.id} is delivered without an acknowledged attempt`;
}

function failedMeansThatAllAttemptsFailedOrTheEndpointIsGone({ deliveries }: Seen): Verdict {
  for (const { id, status, cancelled, attempts, log, body, replayOf } of deliveries) {
    if (status !== 'failed') continue;
    if (log.some(({ outcome }) => outcome === 'acknowledged')) return `${id} failed though acknowledged`;
    const all = isHandshake(readEventBody(body).type, replayOf) ? 1 : maxAttempts;
    if (cancelled === null && attempts !== all) return `${id} failed after ${attempts} attempts`;
  }
  return null;
}

export const attemptPromises = [
  aDeliveryIsPostedAtMostThreeTimes,
  everyPostIsOfAnAttemptThatWasTakenBefore,
  everyPostBeginsSoonAfterItsAttemptWasTaken,
  anAttemptIsTakenOnce,
  everyAttemptOfAnEndedDeliveryIsInItsLog,
  noFunctionIsGivenUpBeforeItsLeaseIsOver,
  deliveredMeansAcknowledgedInTime,
  failedMeansThatAllAttemptsFailedOrTheEndpointIsGone,
];
