import type { Promises } from './promises.ts';
import { type Seen, statesOf } from './seen.ts';

/** Deliveries that a worker ended, with the states that their endpoint had while it worked. */
function* endings({ journal, world }: Seen) {
  for (const { at, invocation, after } of journal.recorded) {
    if (after.endedAt === null || !invocation?.name.startsWith('deliver')) continue;
    const states = statesOf(world, after, invocation.startedAt, at);
    yield { at, after, endedAt: after.endedAt, states };
  }
}

export const healthPromises = {
  *anEndpointFailsFromItsFirstFailureOn(seen) {
    if (!seen.isClean) return;
    for (const { at, after, endedAt, states } of endings(seen)) {
      if (after.status !== 'failed') continue;
      const isUnmarked = states.every(
        (endpoint) =>
          endpoint !== null && endpoint.failingSince === null && (endpoint.recoveredAt ?? 0) < endedAt,
      );
      if (isUnmarked) yield `${after.id} failed at ${at}, and ${after.webhookId} was not marked as failing`;
    }
  },

  *aDeliveredEventEndsTheFailing(seen) {
    if (!seen.isClean) return;
    for (const { at, after, endedAt, states } of endings(seen)) {
      if (after.status !== 'delivered') continue;
      const isMarked = states.every(
        (endpoint) => endpoint?.failingSince != null && endpoint.failingSince <= endedAt,
      );
      if (isMarked) yield `${after.id} was delivered at ${at}, and ${after.webhookId} was still marked`;
    }
  },

  *anEndpointFailsSinceTheEndOfADeliveryThatFailed({ endpoints, deliveries, world, isClean }) {
    if (!isClean) return;
    for (const { customerId, id } of endpoints) {
      const failed = deliveries.filter(({ webhookId, status }) => webhookId === id && status === 'failed');
      const ends = new Set(failed.map(({ endedAt }) => endedAt));
      const versions = world.table.versionsOf(customerId, id)?.all ?? [];
      const wrong = versions.find(
        ({ value }) => value?.failingSince != null && !ends.has(value.failingSince),
      );
      if (wrong !== undefined) yield `${id} was failing since ${wrong.value?.failingSince}`;
    }
  },

  /** Further failures change nothing; one that ended earlier and is noted late is the first. */
  *theFirstFailureCountsUntilTheEndpointRecovers({ endpoints, world }) {
    for (const { customerId, id } of endpoints) {
      let since: number | null = null;
      for (const { value } of world.table.versionsOf(customerId, id)?.all ?? []) {
        const next = value?.failingSince ?? null;
        if (since !== null && next !== null && next > since)
          yield `${id} failed since ${since}, then ${next}`;
        since = next;
      }
    }
  },
} satisfies Promises<Seen>;
