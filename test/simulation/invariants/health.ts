import type { Delivery } from '#shared/domain/delivery.ts';
import type { Promises } from './promises.ts';
import { type Seen, statesOf } from './seen.ts';

/** Deliveries that a worker ended, with the states that their endpoint had while it worked. */
export function* endings({ journal, world }: Seen) {
  for (const { at, invocation, after } of journal.recorded) {
    if (after.endedAt === null || !invocation?.name.startsWith('deliver')) continue;
    const states = statesOf(world, after, invocation.startedAt, at);
    yield { at, after, endedAt: after.endedAt, states };
  }
}

/** Milliseconds. Of two outcomes with less time between them, either may decide the health. */
export const sameTime = 3_000;

const isOfSameEndpoint = (one: Delivery, other: Delivery) => one.webhookId === other.webhookId;

export const healthPromises = {
  *anEndpointFailsFromItsFirstFailureOn(seen) {
    if (!seen.isClean) return;
    for (const { at, after, endedAt, states } of endings(seen)) {
      if (after.status !== 'failed') continue;
      const isUnmarked = states.every(
        (endpoint) => endpoint !== null && endpoint.failingSince === null && (endpoint.recoveredAt ?? 0) < endedAt,
      );
      if (isUnmarked) yield `${after.id} failed at ${at}, and ${after.webhookId} was not marked as failing`;
    }
  },

  *aDeliveredEventEndsTheFailing(seen) {
    if (!seen.isClean) return;
    for (const { at, after, endedAt, states } of endings(seen)) {
      if (after.status !== 'delivered') continue;
      const isMarked = states.every((endpoint) => endpoint?.failingSince != null && endpoint.failingSince <= endedAt);
      if (isMarked) yield `${after.id} was delivered at ${at}, and ${after.webhookId} was still marked`;
    }
  },

  /** Unless another one ended about when it did. */
  *theDeliveryThatEndedLastDecidesTheHealth(seen) {
    if (!seen.isClean) return;
    const all = [...endings(seen)];
    for (const { at, after, endedAt, states } of all) {
      const others = all.filter((other) => isOfSameEndpoint(other.after, after) && other.after !== after);
      const isDoubtful = others.some(
        (other) => other.after.status !== after.status && Math.abs(other.endedAt - endedAt) <= sameTime,
      );
      const isLast = others.every((other) => other.at > at || other.endedAt < endedAt);
      const endpoint = states.at(-1);
      if (isDoubtful || !isLast || endpoint == null) continue;
      const isFailing = endpoint.failingSince !== null;
      if (isFailing !== (after.status === 'failed'))
        yield `${after.id} ended ${after.status} at ${endedAt}, and failing was ${isFailing} at ${at}`;
    }
  },

  *anEndpointFailsSinceTheEndOfADeliveryThatFailed({ endpoints, deliveries, world, isClean }) {
    if (!isClean) return;
    for (const { customerId, id } of endpoints) {
      const failed = deliveries.filter(({ webhookId, status }) => webhookId === id && status === 'failed');
      const ends = new Set(failed.map(({ endedAt }) => endedAt));
      const versions = world.table.versionsOf(customerId, id)?.all ?? [];
      const wrong = versions.find(({ value }) => value?.failingSince != null && !ends.has(value.failingSince));
      if (wrong !== undefined) yield `${id} was failing since ${wrong.value?.failingSince}`;
    }
  },

  /** Further failures change nothing; one that ended earlier and is noted late is the first. */
  *theFirstFailureCountsUntilTheEndpointRecovers({ endpoints, world }) {
    for (const { customerId, id } of endpoints) {
      let since: number | null = null;
      for (const { value } of world.table.versionsOf(customerId, id)?.all ?? []) {
        const next = value?.failingSince ?? null;
        if (since !== null && next !== null && next > since) yield `${id} failed since ${since}, then ${next}`;
        since = next;
      }
    }
  },
} satisfies Promises<Seen>;
