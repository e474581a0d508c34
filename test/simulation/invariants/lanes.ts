import { slowAfter, slowFor } from '#shared/domain/lane.ts';
import type { Promises } from './promises.ts';
import { type Seen, statesOf } from './seen.ts';

/** Maximum milliseconds between the moment at which a mark is due and its effect, without faults. */
const promptly = 500;

/** Milliseconds within which an answer is quick beyond doubt. */
const quickestAnswer = 400;

export const lanePromises = {
  /** A function of the ordinary lane passes on what it finds marked, so quick endpoints always find free functions. */
  *aMarkedEndpointIsNotAttemptedInTheOrdinaryLane({ journal, world }) {
    for (const { at, invocation, delivery } of journal.claims) {
      if (invocation?.name !== 'deliver') continue;
      const states = statesOf(world, delivery, invocation.startedAt, at);
      if (states.every((endpoint) => endpoint !== null && endpoint.slowSince !== null))
        yield `${delivery.id} was attempted at ${at}, and ${delivery.webhookId} was marked all the time`;
    }
  },

  *anEndpointIsMarkedWhileAnAttemptWaits({ journal, world, isClean }) {
    if (!isClean) return;
    for (const { invocation, after } of journal.recorded) {
      const entry = after.log.at(-1);
      if (entry === undefined || !invocation?.name.startsWith('deliver')) continue;
      const markedBy = entry.at + slowAfter + promptly;
      if (entry.at + entry.durationMs <= markedBy) continue;
      const states = statesOf(world, after, invocation.startedAt, markedBy);
      if (states.every((endpoint) => endpoint !== null && endpoint.slowSince === null))
        yield `${after.id} took ${entry.durationMs} ms, and ${after.webhookId} was not marked by ${markedBy}`;
    }
  },

  *anEndpointIsMarkedAtMostOnceAMinute({ endpoints, world, isClean }) {
    if (!isClean) return;
    for (const { customerId, id } of endpoints) {
      const versions = world.table.versionsOf(customerId, id)?.all ?? [];
      const marks = [...new Set(versions.flatMap(({ value }) => value?.slowSince ?? []))];
      const early = marks.find((mark, index) => mark - (marks[index - 1] ?? 0) < slowFor);
      if (early !== undefined) yield `${id} was marked at ${marks.join(', ')}`;
    }
  },

  /** The mark goes once the endpoint has answered quickly, when it is old enough. */
  *aQuickEndpointLosesItsMark({ journal, world, isClean }) {
    if (!isClean) return;
    for (const { at, invocation, after } of journal.recorded) {
      const entry = after.log.at(-1);
      if (entry === undefined || invocation?.name !== 'deliverSlow') continue;
      const endpoint = world.table.liveEndpoint(after.customerId, after.webhookId);
      if (endpoint?.slowSince == null || entry.durationMs > quickestAnswer) continue;
      const others = journal.recorded.filter((other) => other.invocation === invocation);
      const wereQuick = others.every((other) => (other.after.log.at(-1)?.durationMs ?? 0) <= quickestAnswer);
      if (wereQuick && endpoint.slowSince < invocation.startedAt - slowFor)
        yield `${after.webhookId} answered quickly at ${at} and is marked since ${endpoint.slowSince}`;
    }
  },
} satisfies Promises<Seen>;
