import { Problem } from '#shared/contract/problem.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { allEndpoints } from '../world/customers.ts';
import type { ApiCall } from '../world/journal.ts';
import type { Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

type SignIn = Extract<ApiCall, { do: 'sign_in' }>;

function signIns(calls: readonly ApiCall[]): readonly SignIn[] {
  return calls.flatMap((call) => (call.do === 'sign_in' ? [call] : []));
}

const refusals = ['portal_link_ended', 'connection_revoked', 'invalid_key', 'invalid_token'];

function isRefused({ outcome }: SignIn): boolean {
  return outcome?.ok === false && outcome.error instanceof Problem && refusals.includes(outcome.error.code);
}

function aRevokedCredentialIsRefused({ world }: Seen): Verdict {
  const { calls } = world.journal;
  for (const call of calls) {
    if (call.do !== 'revoke' || call.outcome?.ok !== true || call.answeredAt === null) continue;
    const { id, answeredAt } = call;
    const late = signIns(calls).find(
      ({ credential, startedAt, outcome }) =>
        credential.id === id && startedAt > answeredAt && outcome?.ok === true,
    );
    if (late !== undefined) return `${id} was revoked by ${answeredAt} and accepted at ${late.startedAt}`;
  }
  return null;
}

/** By the clock of the function. */
function anEndedLinkIsRefused({ world, journal }: Seen): Verdict {
  const late = signIns(world.journal.calls).find(
    ({ credential, startedAt, outcome }) =>
      outcome?.ok === true &&
      startedAt - journal.largestSkew >= (credential.endsAt ?? Number.POSITIVE_INFINITY),
  );
  return late === undefined ? null : `${late.credential.id} was accepted at ${late.startedAt}`;
}

function anOpenCredentialIsAccepted({ world, journal }: Seen): Verdict {
  const { calls, closings } = world.journal;
  for (const call of signIns(calls)) {
    const { credential, answeredAt } = call;
    if (!isRefused(call) || answeredAt === null || closings.has(credential.customerId)) continue;
    const hasEnded = (credential.endsAt ?? Number.POSITIVE_INFINITY) <= answeredAt + journal.largestSkew;
    const isRevoked = calls.some(
      (other) => other.do === 'revoke' && other.id === credential.id && other.startedAt <= answeredAt,
    );
    if (!hasEnded && !isRevoked) return `${credential.id} was open, and refused at ${answeredAt}`;
  }
  return null;
}

function aCredentialActsForItsCustomer({ world }: Seen): Verdict {
  const odd = signIns(world.journal.calls).find(
    ({ credential, outcome }) => outcome?.ok === true && outcome.value.customerId !== credential.customerId,
  );
  return odd === undefined ? null : `${odd.credential.id} acted for another customer`;
}

function aCredentialOfADeletedCustomerIsRefused({ world }: Seen): Verdict {
  const { calls, closings } = world.journal;
  for (const { credential, startedAt, outcome } of signIns(calls)) {
    const closing = closings.get(credential.customerId);
    const closedAt = closing?.closedAt ?? Number.POSITIVE_INFINITY;
    if (outcome?.ok === true && startedAt > closedAt)
      return `${credential.customerId} was closed at ${closedAt}, ${credential.id} was accepted at ${startedAt}`;
  }
  return null;
}

function everyDeletionOfACustomerEndsAndLeavesNothing({ world }: Seen): Verdict {
  for (const [customerId, { isDone }] of world.journal.closings) {
    if (!isDone) return `the deletion of ${customerId} has not ended`;
    const kinds = world.table.rowsOf(customerId).map(({ kind }) => kind);
    if (kinds.length > 0) return `${customerId} has left ${kinds.join(', ')}`;
    if (world.table.holdingsOf(customerId).slots.size > 0) return `${customerId} has left its slots`;
    if (world.table.listedCustomers.has(customerId)) return `${customerId} is still listed`;
  }
  return null;
}

function nothingIsSentAfterACustomerWasClosed({ world }: Seen): Verdict {
  const { closings, posts } = world.journal;
  if (closings.size === 0) return null;
  const owners = new Map(allEndpoints(world).map(({ url, customerId }) => [url, customerId]));
  for (const { url, beganAt } of posts) {
    const closedAt = closings.get(owners.get(url) ?? '')?.closedAt ?? Number.POSITIVE_INFINITY;
    if (beganAt > closedAt + changeSettles) return `${url} got a POST at ${beganAt}, closed at ${closedAt}`;
  }
  return null;
}

/** A warm function remembers for a while that the customer exists. */
function nothingIsAcceptedAfterACustomerWasClosed({ world }: Seen): Verdict {
  const { closings, fanOuts } = world.journal;
  for (const { at, customerId, subjectId } of fanOuts) {
    const closedAt = closings.get(customerId)?.closedAt ?? Number.POSITIVE_INFINITY;
    if (at > closedAt + quietTime)
      return `${customerId} was closed at ${closedAt}, ${subjectId} accepted at ${at}`;
  }
  return null;
}

export const accessPromises = [
  aRevokedCredentialIsRefused,
  anEndedLinkIsRefused,
  anOpenCredentialIsAccepted,
  aCredentialActsForItsCustomer,
  aCredentialOfADeletedCustomerIsRefused,
  everyDeletionOfACustomerEndsAndLeavesNothing,
  nothingIsSentAfterACustomerWasClosed,
  nothingIsAcceptedAfterACustomerWasClosed,
];
