import { expiryAt, isExpired } from '#shared/domain/retention.ts';
import { jobOf } from './bulk-replays.ts';
import { countBy, type Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

function everyAcceptedReplayMakesOneDelivery({ journal, deliveries }: Seen): Verdict {
  const ids = new Set<string>();
  for (const call of journal.calls) {
    if (call.do !== 'replay' || call.outcome?.ok !== true) continue;
    const { id } = call.outcome.value;
    const stored = deliveries.find((delivery) => delivery.id === id);
    if (stored?.replayOf !== call.source.id) return `the replay ${id} of ${call.source.id} is not stored`;
    if (ids.has(id)) return `two replays of ${call.source.id} were answered with ${id}`;
    ids.add(id);
  }
  return null;
}

/** A refusal stores no replay; after another error, a replay may be stored or not. */
function everyReplayWasRequested({ journal, deliveries }: Seen): Verdict {
  const replays = journal.calls.flatMap((call) => (call.do === 'replay' ? [call] : []));
  const asked = countBy(
    replays.filter(({ outcome }) => outcome === null || outcome.ok || !isRefusal(outcome.error)),
    ({ source }) => source.id,
  );
  const jobs = journal.bulkReplays.map(({ job }) => job);
  const single = deliveries.filter(({ id, replayOf }) => jobOf(jobs, replayOf ?? '', id) === undefined);
  for (const [id, count] of countBy(single, ({ replayOf }) => replayOf ?? '')) {
    if (id !== '' && count > (asked.get(id) ?? 0)) return `${id} was replayed ${count} times`;
  }
  return null;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'Problem';
}

function onlyAnEndedDeliveryIsReplayedAndItsBytesAreKept({ journal, deliveries }: Seen): Verdict {
  for (const { replay, sourceStatus } of journal.replays) {
    const source = deliveries.find(({ id }) => id === replay.replayOf);
    if (sourceStatus === 'pending') return `${replay.replayOf} was replayed while pending`;
    if (source?.body !== replay.body || source.webhookId !== replay.webhookId)
      return `${replay.id} does not repeat ${replay.replayOf}`;
    if (replay.attempts !== 0 || replay.status !== 'pending')
      return `${replay.id} does not begin without attempts`;
  }
  return null;
}

/** By the clock of the function, which may be behind, and which may have read it a moment before it expired. */
function anExpiredDeliveryIsNotReplayed({ journal, world, deliveries }: Seen): Verdict {
  const { retentionDays = null } = world.script;
  if (retentionDays === null) return null;
  for (const { replay, invocation } of journal.replays) {
    const endedAt = deliveries.find(({ id }) => id === replay.replayOf)?.endedAt ?? null;
    if (endedAt === null || invocation === null) continue;
    const expiry = expiryAt({ days: retentionDays }, endedAt);
    if (isExpired(expiry, invocation.startedAt - invocation.largestSkew))
      return `${replay.replayOf} ended at ${endedAt}, and was replayed at ${invocation.startedAt}`;
  }
  return null;
}

export const replayPromises = [
  everyAcceptedReplayMakesOneDelivery,
  everyReplayWasRequested,
  onlyAnEndedDeliveryIsReplayedAndItsBytesAreKept,
  anExpiredDeliveryIsNotReplayed,
];
