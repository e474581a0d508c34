import { readEvent } from '#shared/contract/event-body.ts';
import { limits } from '#shared/contract/limits.ts';
import { invalidRequest, problem } from '#shared/contract/problem.ts';
import type { Withdrawal } from '#shared/domain/attempt.ts';
import { type ClaimedDelivery, type Delivery, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { webhookTestBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { latestTime } from '#shared/domain/last-delivery.ts';
import { claimLease } from '#shared/domain/retry-plan.ts';
import { makeSigningSecret, secretPrefix } from '#shared/domain/signing-secret.ts';
import { SharedReceiver } from '#shared/operations/delivery/receiver.ts';
import { type SendDeps, type SentAttempt, sendAttempt } from '#shared/operations/delivery/send-attempt.ts';
import type {
  CancelDelivery,
  CheckUrl,
  EncryptSecret,
  RandomBytes,
  ReadDelivery,
  ReadLiveEndpoint,
  ReleaseAttempt,
} from '#shared/operations/ports.ts';

/** Takes a slot and stores the endpoint with its claimed handshake, in one transaction. */
export type ReserveEndpoint = (
  endpoint: Endpoint,
  handshake: Delivery,
) => Promise<'reserved' | 'limit_reached'>;

/**
 * Activates an endpoint after its handshake.
 *
 * @param at epoch milliseconds
 * @returns `false` when the endpoint was deleted in the meantime
 */
export type ActivateEndpoint = (customerId: string, webhookId: string, at: number) => Promise<boolean>;

type Deps = Omit<SendDeps, 'decryptSecret'> & {
  readonly randomBytes: RandomBytes;
  readonly checkUrl: CheckUrl;
  readonly encryptSecret: EncryptSecret;
  readonly reserveEndpoint: ReserveEndpoint;
  readonly readDelivery: ReadDelivery;
  readonly readLiveEndpoint: ReadLiveEndpoint;
  readonly releaseAttempt: ReleaseAttempt;
  readonly cancelDelivery: CancelDelivery;
  readonly activateEndpoint: ActivateEndpoint;
};

export type RegisteredWebhook = {
  readonly endpoint: Endpoint;
  /** Shown only in this response. */
  readonly secret: string;
  readonly handshake: Delivery;
};

/**
 * Registers an endpoint. It is stored as `failed` before the handshake and activated after it, so that a crash in
 * between leaves at worst a failed endpoint, which the customer sees and can delete.
 */
export function registerWebhook(deps: Deps) {
  return async (
    customerId: string,
    given: { readonly url: string; readonly description: string },
  ): Promise<RegisteredWebhook> => {
    const checked = await deps.checkUrl(given.url);
    if (!checked.ok) throw invalidRequest('/url', checked.detail);
    const secret = makeSigningSecret(deps.randomBytes(32));
    const endpoint = await newEndpoint(deps, customerId, { ...given, url: checked.url }, secret);
    const handshake = newHandshake(deps, endpoint);

    const readAt = deps.monotonic();
    const reserved = await deps.reserveEndpoint(endpoint, handshake);
    if (reserved === 'limit_reached')
      throw problem('webhook_limit_exceeded', { limit: limits.endpointsPerCustomer });

    // An endpoint that is not active yet cannot be rotated, so this secret stays the only one.
    const sendDeps = { ...deps, decryptSecret: async () => secret };
    const receiver = new SharedReceiver(sendDeps, { endpoint, secrets: [secret], readAt });
    const send = () => sendAttempt(sendDeps, handshake, receiver);
    const first = await send();
    // Nothing was sent, and the claim holds long enough for another try.
    const sent = first === 'endpoint_unread' ? await send() : first;
    const finished = await finishHandshake(deps, endpoint, handshake, sent);
    return { secret, handshake: finished.handshake, endpoint: withTimeOf(finished) };
  };
}

/** Activates the endpoint if its handshake was acknowledged. @returns the handshake and the endpoint afterwards */
async function finishHandshake(
  deps: Deps,
  endpoint: Endpoint,
  handshake: ClaimedDelivery,
  sent: SentAttempt | Withdrawal,
): Promise<Pick<RegisteredWebhook, 'endpoint' | 'handshake'>> {
  if (sent === 'endpoint_unread') throw new Error('Cannot read the endpoint for its handshake in time');
  if (sent === 'endpoint_deleted') return withdraw(deps, endpoint, handshake);
  const answered = sent.isRecorded && sent.transition.status === 'delivered';
  return {
    // If another worker took over the claim, its recorded result counts.
    handshake: sent.isRecorded ? sent.delivery : ((await deps.readDelivery(handshake)) ?? handshake),
    endpoint: answered ? await activate(deps, endpoint) : endpoint,
  };
}

/** The endpoint with the time that later reads show. */
function withTimeOf({ endpoint, handshake }: Pick<RegisteredWebhook, 'endpoint' | 'handshake'>): Endpoint {
  return {
    ...endpoint,
    lastDeliveryAt: latestTime([endpoint.lastDeliveryAt, handshake.lastAttemptAt]),
  };
}

/** Cancels the handshake of an endpoint that was deleted before the request began. */
async function withdraw(
  deps: Deps,
  endpoint: Endpoint,
  handshake: ClaimedDelivery,
): Promise<Pick<RegisteredWebhook, 'endpoint' | 'handshake'>> {
  await deps.releaseAttempt(handshake, handshake.attempts, handshake.claim.fencingToken);
  await deps.cancelDelivery(handshake, 'endpoint_deleted', deps.now());
  const ended = await deps.readDelivery(handshake);
  return { endpoint: { ...endpoint, status: 'deleted' }, handshake: ended ?? handshake };
}

async function activate(deps: Deps, endpoint: Endpoint): Promise<Endpoint> {
  const activatedAt = deps.now();
  const activated = await deps.activateEndpoint(endpoint.customerId, endpoint.id, activatedAt);
  return activated ? { ...endpoint, status: 'active', activatedAt } : { ...endpoint, status: 'deleted' };
}

async function newEndpoint(
  deps: Deps,
  customerId: string,
  given: { readonly url: string; readonly description: string },
  secret: string,
): Promise<Endpoint> {
  const createdAt = deps.now();
  const id = makeId('webhook', createdAt, deps.randomBytes(10));
  return {
    id,
    customerId,
    url: given.url,
    description: given.description,
    status: 'failed',
    secret: await deps.encryptSecret(secret, { customerId, webhookId: id }),
    secretPrefix: secretPrefix(secret),
    previousSecret: null,
    previousSecretExpiresAt: null,
    createdAt,
    activatedAt: null,
    lastDeliveryAt: createdAt,
    deliveryPartitions: 1,
    slowSince: null,
    slowPace: null,
    failingSince: null,
    recoveredAt: null,
    failureStreak: null,
    owedNotices: [],
  };
}

/** The handshake is stored with a claim, so that no other worker makes its one attempt. */
function newHandshake(deps: Deps, endpoint: Endpoint): ClaimedDelivery {
  const at = endpoint.createdAt;
  const event = { id: makeId('event', at, deps.randomBytes(10)), createdAt: at };
  const body = webhookTestBody(event, endpoint.id);
  const delivery = pendingDelivery({
    id: deliveryId(at, deps.randomBytes(10), endpoint.deliveryPartitions),
    customerId: endpoint.customerId,
    webhookId: endpoint.id,
    body,
    event: readEvent(body),
  });
  const fencingToken = Buffer.from(deps.randomBytes(9)).toString('base64url');
  return { ...delivery, attempts: 1, claim: { fencingToken, leaseUntil: deps.now() + claimLease } };
}
