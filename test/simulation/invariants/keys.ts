import { sealed } from '../../support/values/sealed-secrets.ts';
import type { ApiCall } from '../world/journal.ts';
import type { Promises } from './promises.ts';
import { callsOf, countBy, isRefusal, requestsOf, type Seen, statesOf } from './seen.ts';

/** What requests with an `Idempotency-Key` promise. */
export const keyPromises = {
  *aRequestMakesAtMostOneEndpoint({ journal, endpoints }) {
    for (const [url, count] of countBy(endpoints, (endpoint) => endpoint.url)) {
      const asked = requestsOf(callsOf(journal.calls, 'register').filter((call) => call.url === url));
      if (asked.length > 0 && count > asked.length) yield `${url} was registered ${count} times`;
    }
  },

  *everyJobWasRequested({ journal }) {
    const asked = countBy(requestsOf(callsOf(journal.calls, 'replay_all')), ({ webhookId }) => webhookId);
    for (const [webhookId, count] of countBy(journal.bulkReplays, ({ job }) => job.webhookId)) {
      if (count > (asked.get(webhookId) ?? 0)) yield `${webhookId} had ${count} jobs`;
    }
  },

  /** All have the secret and the ids of the first answer, also if that one was lost. */
  *allAnswersUnderAKeyAreTheSame({ journal }) {
    const answers = new Map<string, string>();
    for (const call of journal.calls) {
      if (call.key === null || call.outcome?.ok !== true) continue;
      const answer = shownIn(call);
      const other = answers.get(call.key.digest) ?? answer;
      if (other !== answer) yield `${call.do} was answered with ${other} and ${answer}`;
      answers.set(call.key.digest, answer);
    }
  },

  *anAnsweredSecretIsThatOfItsEndpoint({ journal, world }) {
    for (const { customerId, webhookId, secret } of journal.calls.flatMap(shownSecret)) {
      const states = world.table.versionsOf(customerId, webhookId)?.all ?? [];
      if (!states.some(({ value }) => value?.secret === sealed(secret, { customerId, webhookId })))
        yield `${webhookId} never had the secret that was answered`;
    }
  },

  /** A repetition is not told that the endpoint is there, or that a rotation is under way, because of its own request. */
  *whatWasAnsweredIsNotRefusedLater({ journal, world }) {
    for (const call of journal.calls) {
      const { key, outcome, customerId, answeredAt } = call;
      if (key === null || outcome?.ok !== false || answeredAt === null || !isRefusal(outcome.error)) continue;
      const first = journal.calls.find(
        (other) =>
          other.key?.digest === key.digest &&
          other.outcome?.ok === true &&
          (other.answeredAt ?? Number.POSITIVE_INFINITY) < call.startedAt,
      );
      const webhookId = first === undefined ? null : endpointOf(first);
      if (first === undefined || webhookId === null) continue;
      const states = statesOf(world, { customerId, webhookId }, first.startedAt, answeredAt);
      // If its answer could not be kept, a request does not outlive its endpoint.
      if (!states.includes(null)) yield `${call.do} of ${webhookId} was answered, and then ${outcome.error}`;
    }
  },
} satisfies Promises<Seen>;

function endpointOf(call: ApiCall): string | null {
  if (call.do === 'register') return call.outcome?.ok === true ? call.outcome.value.endpoint.id : null;
  if (call.do === 'rotate' || call.do === 'replay_all') return call.webhookId;
  return call.do === 'replay' ? call.source.webhookId : null;
}

/** What an answer shows that is nowhere else. */
function shownIn(call: ApiCall): string {
  if (call.outcome?.ok !== true) return '';
  if (call.do === 'register') return `${call.outcome.value.endpoint.id} ${call.outcome.value.secret}`;
  if (call.do === 'rotate') return call.outcome.value.secret;
  return call.do === 'replay' || call.do === 'replay_all' ? call.outcome.value.id : '';
}

function shownSecret(call: ApiCall) {
  if (call.outcome?.ok !== true || (call.do !== 'register' && call.do !== 'rotate')) return [];
  const { customerId } = call;
  const webhookId = call.do === 'rotate' ? call.webhookId : call.outcome.value.endpoint.id;
  return [{ customerId, webhookId, secret: call.outcome.value.secret }];
}
