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

  *anEndpointIsMarkedWhileAnAttemptWaits({ journal, world, endpoints, isClean }) {
    if (!isClean) return;
    const forResponses = journal.waits.filter(({ isForResponse }) => isForResponse);
    for (const { invocation, webhookId, endedAt, milliseconds } of forResponses) {
      const markedBy = endedAt - milliseconds + slowAfter + promptly;
      const endpoint = endpoints.find(({ id }) => id === webhookId);
      if (endpoint === undefined || !invocation.name.startsWith('deliver') || endedAt <= markedBy) continue;
      const states = statesOf(world, { ...endpoint, webhookId }, invocation.startedAt, markedBy);
      if (states.every((state) => state !== null && state.slowSince === null))
        yield `${webhookId} let an attempt wait for ${milliseconds} ms, and was not marked by ${markedBy}`;
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
  *aQuickEndpointLosesItsMark({ journal, world, endpoints, isClean }) {
    if (!isClean) return;
    for (const { invocation, webhookId, endedAt } of journal.waits) {
      const owner = endpoints.find(({ id }) => id === webhookId)?.customerId;
      if (owner === undefined || invocation.name !== 'deliverSlow') continue;
      const endpoint = world.table.liveEndpoint(owner, webhookId);
      const ofWorker = journal.waits.filter((wait) => wait.invocation === invocation);
      const wereQuick = ofWorker.every(({ milliseconds }) => milliseconds <= quickestAnswer);
      if (endpoint?.slowSince != null && wereQuick && endpoint.slowSince < invocation.startedAt - slowFor)
        yield `${webhookId} answered quickly at ${endedAt} and is marked since ${endpoint.slowSince}`;
    }
  },
} satisfies Promises<Seen>;
