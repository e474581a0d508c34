import { expiryAt, isExpired } from '#shared/domain/retention.ts';
import { jobOf } from './bulk-replays.ts';
import type { Promises } from './promises.ts';
import { answered, callsOf, countBy, isRefusal, requestsOf, type Seen } from './seen.ts';

export const replayPromises = {
  *everyAcceptedReplayMakesOneDelivery({ journal, deliveries }) {
    const ids = new Set<string>();
    for (const { source, outcome } of requestsOf(answered(journal.calls, 'replay'))) {
      const { id } = outcome.value;
      const stored = deliveries.find((delivery) => delivery.id === id);
      if (stored?.replayOf !== source.id) yield `the replay ${id} of ${source.id} is not stored`;
      if (ids.has(id)) yield `two replays of ${source.id} were answered with ${id}`;
      ids.add(id);
    }
  },

  /** A refusal stores no replay; after another error, a replay may be stored or not. */
  *everyReplayWasRequested({ journal, deliveries }) {
    const replays = callsOf(journal.calls, 'replay').filter(
      ({ outcome }) => outcome === null || outcome.ok || !isRefusal(outcome.error),
    );
    const asked = countBy(requestsOf(replays), ({ source }) => source.id);
    const jobs = journal.bulkReplays.map(({ job }) => job);
    const single = deliveries.filter(({ id, replayOf }) => jobOf(jobs, replayOf ?? '', id) === undefined);
    for (const [id, count] of countBy(single, ({ replayOf }) => replayOf ?? '')) {
      if (id !== '' && count > (asked.get(id) ?? 0)) yield `${id} was replayed ${count} times`;
    }
  },

  *onlyAnEndedDeliveryIsReplayedAndItsBytesAreKept({ journal, deliveries }) {
    for (const { replay, sourceStatus } of journal.replays) {
      const source = deliveries.find(({ id }) => id === replay.replayOf);
      if (sourceStatus === 'pending') yield `${replay.replayOf} was replayed while pending`;
      if (source?.body !== replay.body || source.webhookId !== (replay.sourceWebhookId ?? replay.webhookId))
        yield `${replay.id} does not repeat ${replay.replayOf}`;
      if (replay.attempts !== 0 || replay.status !== 'pending') yield `${replay.id} does not begin without attempts`;
    }
  },

  /** By the clock of the function, which may be behind, and which may have read it a moment before it expired. */
  *anExpiredDeliveryIsNotReplayed({ journal, world, deliveries }) {
    const { retentionDays = null } = world.script;
    if (retentionDays === null) return;
    for (const { replay, invocation } of journal.replays) {
      const endedAt = deliveries.find(({ id }) => id === replay.replayOf)?.endedAt ?? null;
      if (endedAt === null || invocation === null) continue;
      const expiry = expiryAt({ days: retentionDays }, endedAt);
      if (isExpired(expiry, invocation.startedAt - invocation.largestSkew))
        yield `${replay.replayOf} ended at ${endedAt}, and was replayed at ${invocation.startedAt}`;
    }
  },
} satisfies Promises<Seen>;
