import { Problem } from '#shared/contract/problem.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { allEndpoints } from '../world/customers.ts';
import type { World } from '../world/world.ts';
import type { Promises } from './promises.ts';
import { answered, callsOf, type Seen } from './seen.ts';

const refusals = ['portal_link_ended', 'connection_revoked', 'invalid_key', 'invalid_token'];

/** When a customer was closed; never, unless it was deleted. */
function closedAt({ journal }: World, customerId: string | undefined): number {
  return journal.closings.get(customerId ?? '')?.closedAt ?? Number.POSITIVE_INFINITY;
}

/** Also those that concern deleted customers. */
export const accessPromises = {
  *aRevokedCredentialIsRefused({ world: { journal } }) {
    for (const { id, answeredAt } of answered(journal.calls, 'revoke')) {
      for (const { credential, startedAt } of answered(journal.calls, 'sign_in')) {
        if (credential.id === id && startedAt > answeredAt)
          yield `${id} was revoked by ${answeredAt} and accepted at ${startedAt}`;
      }
    }
  },

  /** By the clock of the function. */
  *anEndedLinkIsRefused({ world: { journal } }) {
    for (const { credential, startedAt } of answered(journal.calls, 'sign_in')) {
      if (startedAt - journal.largestSkew >= (credential.endsAt ?? Number.POSITIVE_INFINITY))
        yield `${credential.id} was accepted at ${startedAt}`;
    }
  },

  *anOpenCredentialIsAccepted({ world: { journal } }) {
    const { calls, closings, largestSkew } = journal;
    for (const { credential, answeredAt, outcome } of callsOf(calls, 'sign_in')) {
      if (outcome?.ok !== false || answeredAt === null || closings.has(credential.customerId)) continue;
      const { error } = outcome;
      if (!(error instanceof Problem) || !refusals.includes(error.code)) continue;
      const hasEnded = (credential.endsAt ?? Number.POSITIVE_INFINITY) <= answeredAt + largestSkew;
      const isRevoked = callsOf(calls, 'revoke').some(
        ({ id, startedAt }) => id === credential.id && startedAt <= answeredAt,
      );
      if (!hasEnded && !isRevoked) yield `${credential.id} was open, and refused at ${answeredAt}`;
    }
  },

  *aCredentialActsForItsCustomer({ world: { journal } }) {
    for (const { credential, outcome } of answered(journal.calls, 'sign_in')) {
      if (outcome.value.customerId !== credential.customerId) yield `${credential.id} acted for another customer`;
    }
  },

  *aCredentialOfADeletedCustomerIsRefused({ world }) {
    for (const { credential, startedAt } of answered(world.journal.calls, 'sign_in')) {
      const closed = closedAt(world, credential.customerId);
      if (startedAt > closed)
        yield `${credential.customerId} was closed at ${closed}, ${credential.id} was accepted at ${startedAt}`;
    }
  },

  *everyDeletionOfACustomerEndsAndLeavesNothing({ world: { journal, table } }) {
    for (const [customerId, { isDone }] of journal.closings) {
      if (!isDone) yield `the deletion of ${customerId} has not ended`;
      const kinds = table.kindsOf(customerId);
      if (kinds.length > 0) yield `${customerId} has left ${kinds.join(', ')}`;
    }
  },

  *nothingIsSentAfterACustomerWasClosed({ world }) {
    if (world.journal.closings.size === 0) return;
    const owners = new Map(allEndpoints(world).map(({ url, customerId }) => [url, customerId]));
    for (const { url, beganAt } of world.journal.posts) {
      const closed = closedAt(world, owners.get(url));
      if (beganAt > closed + changeSettles) yield `${url} got a POST at ${beganAt}, closed at ${closed}`;
    }
  },

  /** A warm function remembers for a while that the customer exists. */
  *nothingIsAcceptedAfterACustomerWasClosed({ world }) {
    for (const { at, customerId, subjectId } of world.journal.fanOuts) {
      const closed = closedAt(world, customerId);
      if (at > closed + quietTime) yield `${customerId} was closed at ${closed}, ${subjectId} accepted at ${at}`;
    }
  },
} satisfies Promises<Seen>;
