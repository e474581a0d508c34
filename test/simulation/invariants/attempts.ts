import { readEvent } from '#shared/contract/event-body.ts';
import { claimedAt, type Delivery, isHandshake } from '#shared/domain/delivery.ts';
import { attemptTimeout, claimGrace, claimLease, maxAttempts, timeToClaim } from '#shared/domain/retry-plan.ts';
import type { Invocation } from '../world/invocation.ts';
import type { Claim } from '../world/journal.ts';
import type { Promises } from './promises.ts';
import { countBy, type Seen, type SeenPost } from './seen.ts';

/** What one function did about an event at an endpoint. */
const byWorker = (worker: Invocation | null, pair: string): string => `${worker?.id} ${pair}`;

function tokenOf(delivery: Delivery): string {
  return delivery.claim?.fencingToken ?? '';
}

/** Whether the receiver answered it, as far as its function waited for the answer. */
const wasAnswered = ({ end }: SeenPost): boolean => end !== 'lost';

export const attemptPromises = {
  /** A request that was lost with its kept connection is sent again, so a receiver may get more than it answers. */
  *aReceiverAnswersAtMostThreePostsOfADelivery({ deliveries, posts, pairOf }) {
    const allowed = countBy(deliveries, pairOf);
    for (const [pair, count] of countBy(posts.filter(wasAnswered), ({ pair }) => pair)) {
      const most = maxAttempts * (allowed.get(pair) ?? 0);
      if (count > most) yield `${pair} was posted ${count} times, and at most ${most} were allowed`;
    }
  },

  /** An attempt sends its request once, or twice if the first one was lost with its kept connection. */
  *aRequestIsSentAgainAtMostOnce({ journal, posts, pairOf }) {
    const taken = countBy(journal.claims, ({ invocation, delivery }) => byWorker(invocation, pairOf(delivery)));
    const lost = posts.filter((post) => !wasAnswered(post));
    for (const [name, count] of countBy(lost, ({ invocation, pair }) => byWorker(invocation, pair))) {
      if (count > (taken.get(name) ?? 0)) yield `${name} was lost ${count} times`;
    }
  },

  /** And at most once for each claim that was kept, beside what was lost. */
  *everyPostFollowsItsClaim({ posts, journal, pairOf }) {
    for (const { claimedAt, invocation, pair } of posts) {
      if (claimedAt === null) yield `${invocation.name} ${invocation.id} posted ${pair}`;
    }
    const givenBack = new Set(journal.released.map(({ delivery }) => tokenOf(delivery)));
    const kept = journal.claims.filter(({ delivery }) => !givenBack.has(tokenOf(delivery)));
    const allowed = countBy(kept, ({ invocation, delivery }) => byWorker(invocation, pairOf(delivery)));
    const answered = posts.filter(wasAnswered);
    for (const [name, count] of countBy(answered, ({ invocation, pair }) => byWorker(invocation, pair))) {
      const most = allowed.get(name) ?? 0;
      if (count > most) yield `${name} was posted ${count} times, under ${most} claims that were kept`;
    }
  },

  /** Early enough that the POST ends long before the lease. */
  *everyPostBeginsSoonAfterItsClaim({ posts }) {
    for (const { eventId, beganAt, claimedAt: taken } of posts) {
      if (beganAt - (taken ?? beganAt) > claimGrace + attemptTimeout)
        yield `${eventId} was taken at ${taken}, posted at ${beganAt}`;
    }
  },

  *anAttemptIsClaimedOnceUnlessItIsGivenBack({ journal }) {
    const nameOf = ({ delivery }: Claim): string => `${delivery.id} attempt ${delivery.attempts}`;
    const released = countBy(journal.released, nameOf);
    for (const [name, count] of countBy(journal.claims, nameOf))
      if (count > 1 + (released.get(name) ?? 0)) yield `${name} was taken ${count} times`;
  },

  /** `everyPostFollowsItsClaim` has that nothing was sent. */
  *onlyItsWorkerGivesAClaimBack({ journal }) {
    for (const { delivery } of journal.released) {
      if (!journal.releasesAsked.has(tokenOf(delivery))) yield `${delivery.id} was given back by another worker`;
    }
  },

  /**
   * An attempt counts as interrupted if its worker died, recorded its outcome too late, tried in vain to give it back, or
   * heard of its claim when another had taken it over. A worker that knows that nothing was sent always tries to give its
   * claim back.
   */
  *anInterruptedAttemptWasMadeOrItsWorkerDied({ journal }) {
    for (const { at, before, after } of journal.recorded) {
      const token = before.claim?.fencingToken;
      if (after.log.at(-1)?.outcome !== 'interrupted' || token === undefined) continue;
      const worker = journal.claims.find(({ delivery }) => tokenOf(delivery) === token)?.invocation;
      // The one attempt of a handshake is made inside its request, which fails as a whole.
      if (worker?.name === 'register') continue;
      const asked = journal.claimsAsked.get(token);
      const heardLate = asked !== undefined && (asked.answeredAt === null || asked.answeredAt >= at);
      const isExplained =
        worker?.died === true || journal.recordsAsked.has(token) || journal.releasesAsked.has(token) || heardLate;
      if (!isExplained) yield `${before.id}: attempt ${before.attempts} counts, and was not made`;
    }
  },

  *noAttemptIsClaimedWithoutEnoughTime({ journal }) {
    for (const { timeLeft } of journal.claimsAsked.values())
      if (timeLeft < timeToClaim) yield `an attempt was taken with ${timeLeft} ms left`;
  },

  *everyAttemptOfAnEndedDeliveryIsInItsLog({ deliveries }) {
    for (const { id, status, attempts, log } of deliveries) {
      if (status !== 'pending' && log.length !== attempts) yield `${id} has ${attempts} attempts, ${log.length} logged`;
    }
  },

  /** By the clocks of the two functions, with their errors. */
  *noClaimIsTakenOverBeforeItsLeaseEnds({ journal }) {
    for (const { at, invocation, before, after } of journal.recorded) {
      if (after.log.at(-1)?.outcome !== 'interrupted') continue;
      const asked = journal.claimsAsked.get(before.claim?.fencingToken ?? '');
      // A handshake is stored with its claim.
      const taken = asked?.at ?? (before.claim === null ? at : claimedAt(before.claim));
      // Its clock may be set back between the decision and the record.
      const held = at + (invocation?.skewAt(invocation.startedAt) ?? 0) - taken;
      if (held < claimLease) yield `${before.id} was given up after ${held} ms`;
    }
  },

  *deliveredMeansAcknowledgedInTime({ journal, deliveries, posts, pairOf }) {
    const acknowledged = countBy(
      posts.filter(({ end }) => end === 'acknowledged'),
      ({ pair }) => pair,
    );
    const delivered = deliveries.filter(({ id, status }) => status === 'delivered' && !journal.endedBefore.has(id));
    for (const [pair, count] of countBy(delivered, pairOf)) {
      if (count > (acknowledged.get(pair) ?? 0)) yield `${pair} was not acknowledged as often as delivered`;
    }
    for (const { id, log } of delivered)
      if (log.at(-1)?.outcome !== 'acknowledged') yield `${id} is delivered without an acknowledged attempt`;
  },

  *failedMeansAllAttemptsFailedOrTheEndpointIsDeleted({ deliveries }) {
    for (const { id, status, cancelled, attempts, log, body, replayOf } of deliveries) {
      if (status !== 'failed') continue;
      if (log.some(({ outcome }) => outcome === 'acknowledged')) yield `${id} failed though acknowledged`;
      const all = isHandshake({ event: readEvent(body), replayOf }) ? 1 : maxAttempts;
      if (cancelled === null && attempts !== all) yield `${id} failed after ${attempts} attempts`;
    }
  },
} satisfies Promises<Seen>;
