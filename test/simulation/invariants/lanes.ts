import { slowAfter, slowFor } from '#shared/domain/lane.ts';
import type { Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

/** Maximum milliseconds between the moment at which a mark is due and its effect, without faults. */
const promptly = 500;

/** A function of the ordinary lane passes on what it finds marked, so quick endpoints always find free functions. */
function aMarkedEndpointIsNotAttemptedInTheOrdinaryLane({ journal, world }: Seen): Verdict {
  for (const { at, invocation, delivery } of journal.claims) {
    if (invocation?.name !== 'deliver') continue;
    const { customerId, webhookId, id } = delivery;
    const versions = world.table.versionsOf(customerId, webhookId)?.within(invocation.startedAt, at) ?? [];
    if (versions.every((endpoint) => endpoint !== null && endpoint.slowSince !== null))
      return `${id} was attempted at ${at}, and ${webhookId} was marked all the time`;
  }
  return null;
}

function anEndpointIsMarkedWhileAnAttemptWaits({ journal, world, isClean }: Seen): Verdict {
  if (!isClean) return null;
  for (const { invocation, after } of journal.recorded) {
    const entry = after.log.at(-1);
    if (entry === undefined || !invocation?.name.startsWith('deliver')) continue;
    const markedBy = entry.at + slowAfter + promptly;
    if (entry.at + entry.durationMs <= markedBy) continue;
    const { customerId, webhookId, id } = after;
    const versions =
      world.table.versionsOf(customerId, webhookId)?.within(invocation.startedAt, markedBy) ?? [];
    if (versions.every((endpoint) => endpoint !== null && endpoint.slowSince === null))
      return `an attempt of ${id} took ${entry.durationMs} ms, and ${webhookId} was not marked by ${markedBy}`;
  }
  return null;
}

function anEndpointIsMarkedAtMostOnceAMinute({ endpoints, world, isClean }: Seen): Verdict {
  if (!isClean) return null;
  for (const { customerId, id } of endpoints) {
    const versions = world.table.versionsOf(customerId, id)?.all ?? [];
    const marks = [...new Set(versions.flatMap(({ value }) => value?.slowSince ?? []))];
    const early = marks.find((mark, index) => mark - (marks[index - 1] ?? 0) < slowFor);
    if (early !== undefined) return `${id} was marked at ${marks.join(', ')}`;
  }
  return null;
}

/** The mark goes once the endpoint has answered quickly, when it is old enough. */
function aQuickEndpointLosesItsMark({ journal, world, isClean }: Seen): Verdict {
  if (!isClean) return null;
  for (const { at, invocation, after } of journal.recorded) {
    const entry = after.log.at(-1);
    if (entry === undefined || invocation?.name !== 'deliverSlow') continue;
    const endpoint = world.table.liveEndpoint(after.customerId, after.webhookId);
    if (endpoint?.slowSince == null || entry.durationMs > quickestAnswer) continue;
    const others = journal.recorded.filter((other) => other.invocation === invocation);
    const wereQuick = others.every((other) => (other.after.log.at(-1)?.durationMs ?? 0) <= quickestAnswer);
    if (wereQuick && endpoint.slowSince < invocation.startedAt - slowFor)
      return `${after.webhookId} answered quickly at ${at} and is marked since ${endpoint.slowSince}`;
  }
  return null;
}

/** Milliseconds within which an answer is quick beyond doubt. */
const quickestAnswer = 400;

export const lanePromises = [
  aMarkedEndpointIsNotAttemptedInTheOrdinaryLane,
  anEndpointIsMarkedWhileAnAttemptWaits,
  anEndpointIsMarkedAtMostOnceAMinute,
  aQuickEndpointLosesItsMark,
];
