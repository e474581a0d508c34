import { cancelDelivery, recordAttempt, releaseAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { activateEndpoint, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { limits } from '#shared/contract/limits.ts';
import { invalidRequest, problem } from '#shared/contract/problem.ts';
import type { Registration } from '#shared/contract/records/registration.ts';
import type { Withdrawal } from '#shared/domain/attempt.ts';
import { type ClaimedDelivery, type DeliveryKey, outlastsPost, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { type Endpoint, initialState } from '#shared/domain/endpoint.ts';
import { webhookTestBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { latestTime } from '#shared/domain/last-delivery.ts';
import { claimLease } from '#shared/domain/retry-plan.ts';
import { secretPrefix } from '#shared/domain/signing-secret.ts';
import { SharedReceiver } from '#shared/operations/delivery/receiver.ts';
import {
  type SendDeps,
  type Sending,
  type SentAttempt,
  sendAttempt,
} from '#shared/operations/delivery/send-attempt.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { freshSecretSeed, type NewSecret, type SecretSeed, type Seed } from '#shared/operations/seed.ts';

type Deps = SendDeps & Pick<Needs, 'postEvent' | 'randomBytes' | 'checkUrl' | 'encryptSecret'>;

/**
 * Registers an endpoint. It is stored as `failed` before the handshake and activated after it, so that a crash in
 * between leaves at worst a failed endpoint, which the customer sees and can delete.
 */
export function registerWebhook(deps: Deps) {
  return async (
    customerId: string,
    given: { readonly url: string; readonly description: string },
    seed: SecretSeed = freshSecretSeed(deps),
  ): Promise<Registration> => {
    const checked = await deps.checkUrl(given.url);
    if (!checked.ok) throw invalidRequest('/url', checked.detail);
    const id = makeId('webhook', seed.at, seed.entropy('webhook'));
    const newSecret = await seed.newSecret({ customerId, webhookId: id });
    const { secret } = newSecret;
    const { description } = given;
    const own = { id, customerId, url: checked.url, description, createdAt: seed.at };
    const endpoint = newEndpoint(own, newSecret);
    const handshake = newHandshake(deps, endpoint, seed);
    const readAt = deps.monotonic();
    const earlier = await reserve(deps, { endpoint, handshake, seed });
    if (earlier !== null) return { ...earlier, secret };

    // An endpoint that is not active yet cannot be rotated, so this secret stays the only one.
    const secrets = [secret];
    const receiver = new SharedReceiver(deps, async () => secrets, { endpoint, secrets, readAt });
    const sending: Sending = {
      post: deps.postEvent,
      record: (attempt) => recordAttempt(deps.table, attempt),
      tell: deps.report,
    };
    const send = () => {
      if (outlastsPost(handshake.claim, deps.now())) return sendAttempt(deps, handshake, receiver, sending);
      throw new Error('Cannot begin the handshake in time');
    };
    const first = await send();
    // Nothing was sent, so the attempt can be made again.
    const sent = first === 'endpoint_unread' ? await send() : first;
    const finished = await finishHandshake(deps, endpoint, handshake, sent);
    return { secret, handshake: finished.handshake, endpoint: withTimeOf(finished) };
  };
}

type Reserved = Pick<Registration, 'endpoint' | 'handshake'>;

/** Stores the endpoint. @returns what another try of the request has stored instead; `null` when there is none */
async function reserve(
  deps: Deps,
  { endpoint, handshake, seed }: Reserved & { readonly seed: Seed },
): Promise<Reserved | null> {
  const earlier = seed.isRepeated ? await reserved(deps, endpoint, handshake) : null;
  if (earlier !== null) return earlier;
  const answer = await reserveEndpoint(deps.table, endpoint, handshake);
  if (answer === 'reserved') return null;
  if (answer === 'limit_reached') throw problem('webhook_limit_exceeded', { limit: limits.endpointsPerCustomer });
  const other = await reserved(deps, endpoint, handshake);
  if (other === null) throw new Error(`Cannot read endpoint ${endpoint.id}, which another try has stored`);
  return other;
}

/**
 * What an earlier try of the request has stored. The endpoint is activated if that try ended between its handshake and
 * the activation; a handshake that it left under way is never made again.
 */
async function reserved(deps: Deps, { customerId, id }: Endpoint, key: DeliveryKey): Promise<Reserved | null> {
  const [endpoint, handshake] = await Promise.all([
    readEndpoint(deps.table, customerId, id),
    readDelivery(deps.table, key),
  ]);
  if (endpoint === null || handshake === null) return null;
  const isAnswered = handshake.status === 'delivered' && endpoint.status === 'failed';
  return { handshake, endpoint: isAnswered ? await activate(deps, endpoint) : endpoint };
}

/** Activates the endpoint if its handshake was acknowledged. @returns the handshake and the endpoint afterwards */
async function finishHandshake(
  deps: Deps,
  endpoint: Endpoint,
  handshake: ClaimedDelivery,
  sent: SentAttempt | Withdrawal,
): Promise<Reserved> {
  if (sent === 'endpoint_unread') throw new Error('Cannot read the endpoint for its handshake in time');
  if (sent === 'endpoint_deleted') return withdraw(deps, endpoint, handshake);
  const answered = sent.isRecorded && sent.transition.status === 'delivered';
  return {
    // If another worker took over the claim, its recorded result counts.
    handshake: sent.isRecorded ? sent.delivery : ((await readDelivery(deps.table, handshake)) ?? handshake),
    endpoint: answered ? await activate(deps, endpoint) : endpoint,
  };
}

/** The endpoint with the time that later reads show. */
function withTimeOf({ endpoint, handshake }: Reserved): Endpoint {
  return {
    ...endpoint,
    lastDeliveryAt: latestTime([endpoint.lastDeliveryAt, handshake.lastAttemptAt]),
  };
}

/** Cancels the handshake of an endpoint that was deleted before the request began. */
async function withdraw(deps: Deps, endpoint: Endpoint, handshake: ClaimedDelivery): Promise<Reserved> {
  await releaseAttempt(deps.table, handshake, handshake.attempts, handshake.claim.fencingToken);
  await cancelDelivery(deps.table, handshake, 'endpoint_deleted', deps.now());
  const ended = await readDelivery(deps.table, handshake);
  return { endpoint: { ...endpoint, status: 'deleted' }, handshake: ended ?? handshake };
}

async function activate(deps: Deps, endpoint: Endpoint): Promise<Endpoint> {
  const activatedAt = await activateEndpoint(deps.table, endpoint.customerId, endpoint.id, deps.now());
  return { ...endpoint, status: activatedAt === null ? 'deleted' : 'active', activatedAt };
}

function newEndpoint(
  given: Pick<Endpoint, 'id' | 'customerId' | 'url' | 'description' | 'createdAt'>,
  { secret, encrypted }: NewSecret,
): Endpoint {
  return {
    ...given,
    status: 'failed',
    secret: encrypted,
    secretPrefix: secretPrefix(secret),
    previousSecret: null,
    previousSecretExpiresAt: null,
    activatedAt: null,
    lastDeliveryAt: given.createdAt,
    deliveryPartitions: 1,
    ...initialState,
  };
}

/** The handshake is stored with a claim, so that no other worker makes its one attempt. */
function newHandshake(deps: Deps, endpoint: Endpoint, { at, entropy }: Seed): ClaimedDelivery {
  const event = { id: makeId('event', at, entropy('event')), createdAt: at };
  const body = webhookTestBody(event, endpoint.id);
  const delivery = pendingDelivery({
    id: deliveryId(at, entropy('delivery'), endpoint.deliveryPartitions),
    customerId: endpoint.customerId,
    webhookId: endpoint.id,
    body,
    event: readEvent(body),
  });
  const fencingToken = Buffer.from(deps.randomBytes(9)).toString('base64url');
  return { ...delivery, attempts: 1, claim: { fencingToken, leaseUntil: deps.now() + claimLease } };
}
