import type { DeliveryMessage } from '../contract/delivery-message.ts';
import { readEventBody } from '../contract/event-body.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { claimGrace, claimLease } from '../domain/retry-plan.ts';
import type {
  CancelDelivery,
  ClaimAttempt,
  OpenSecret,
  RandomBytes,
  ReadLiveEndpoint,
  Report,
} from './ports.ts';
import { type SendDeps, sendAttempt } from './send-attempt.ts';
import { type FollowUpDeps, followUp, settleMessage } from './settle-message.ts';
import { openValidSecrets } from './sign-event.ts';

export type DeliverDeps = SendDeps &
  FollowUpDeps & {
    readonly randomBytes: RandomBytes;
    readonly readLiveEndpoint: ReadLiveEndpoint;
    readonly openSecret: OpenSecret;
    readonly claimAttempt: ClaimAttempt;
    readonly cancelDelivery: CancelDelivery;
    /** Notes when an endpoint was last attempted; may be skipped when the endpoint shows a time that recent. */
    readonly touchEndpoint: (endpoint: Endpoint, at: number) => Promise<void>;
    readonly report: Report;
  };

/** `retry`: the message goes back to the queue and comes again after its visibility timeout. */
export type MessageResult = 'done' | 'retry';

type Claimed = Delivery & { readonly claim: NonNullable<Delivery['claim']> };
type Step = { readonly message: DeliveryMessage; readonly result: MessageResult | Claimed };

/**
 * Makes the attempts that a batch of messages asks for, side by side. In phases, so that all attempts at one
 * endpoint share its reads:
 *
 * 1. ready: the endpoint is there and its secrets can be opened, else nothing is claimed;
 * 2. claim: the attempt is counted before anything is sent;
 * 3. current: the endpoint is read again, now strongly, so that none is attempted after its deletion was answered
 *    and secrets are those of this moment;
 * 4. send, record, schedule.
 *
 * @returns one result for each message, in order
 */
export function deliverAttempts(deps: DeliverDeps) {
  return async (messages: readonly DeliveryMessage[]): Promise<readonly MessageResult[]> => {
    const ready = memoizeByEndpoint((message) => isReady(deps, message));
    const claims = await Promise.all(
      messages.map((message) =>
        guarded(deps, message, async () => claim(deps, message, await ready(message))),
      ),
    );

    const current = memoizeByEndpoint((message) =>
      deps.readLiveEndpoint(message.customer_id, message.webhook_id, 'strong'),
    );
    return Promise.all(
      claims.map(async ({ message, result }) => {
        if (typeof result === 'string') return result;
        const step = await guarded(deps, message, async () =>
          attempt(deps, message, result, await current(message)),
        );
        return step.result === 'done' ? 'done' : 'retry';
      }),
    );
  };
}

/** A step that fails for our own reasons costs its message another round, and no other message anything. */
async function guarded(
  deps: DeliverDeps,
  message: DeliveryMessage,
  run: () => Promise<MessageResult | Claimed>,
): Promise<Step> {
  try {
    return { message, result: await run() };
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'deliver', delivery: keyOf(message), cause });
    return { message, result: 'retry' };
  }
}

/** Whether attempts at the endpoint can be signed. A cheap read will do, except to say that it is gone. */
async function isReady(deps: DeliverDeps, message: DeliveryMessage): Promise<boolean> {
  const { customer_id, webhook_id } = message;
  const endpoint =
    (await deps.readLiveEndpoint(customer_id, webhook_id, 'eventual')) ??
    (await deps.readLiveEndpoint(customer_id, webhook_id, 'strong'));
  if (endpoint === null) return false;
  await openValidSecrets(endpoint, deps.now(), deps.openSecret);
  return true;
}

async function claim(
  deps: DeliverDeps,
  message: DeliveryMessage,
  ready: boolean,
): Promise<MessageResult | Claimed> {
  if (!ready) return cancel(deps, message, null);
  const at = deps.now();
  const held = { token: Buffer.from(deps.randomBytes(9)).toString('base64url'), leaseUntil: at + claimLease };
  const taken = await deps.claimAttempt(keyOf(message), message.attempt, {
    ...held,
    at,
    latestDue: at + deps.earliness,
  });
  if (taken.claimed) return { ...taken.delivery, claim: held };
  return settleMessage(deps, message, taken.delivery);
}

async function attempt(
  deps: DeliverDeps,
  message: DeliveryMessage,
  claimed: Claimed,
  endpoint: Endpoint | null,
): Promise<MessageResult> {
  if (endpoint === null) return cancel(deps, message, claimed.claim.token);
  const secrets = await openValidSecrets(endpoint, deps.now(), deps.openSecret);
  // Too late to be surely done when the lease ends: the attempt is left to count as interrupted.
  if (deps.now() > claimed.claim.leaseUntil - claimLease + claimGrace) return 'retry';

  const sent = await sendAttempt(deps)(claimed, { url: endpoint.url, secrets });

  if (!sent.recorded) {
    deps.report({ name: 'delivery.superseded', delivery: claimed, attempt: claimed.attempts });
    return 'done';
  }
  deps.report({
    name: 'delivery.attempted',
    delivery: claimed,
    eventId: readEventBody(claimed.body).id,
    attempt: claimed.attempts,
    entry: sent.entry,
    transition: sent.transition,
  });
  await Promise.all([followUp(deps, sent.delivery), touch(deps, endpoint, sent.entry.at)]);
  return 'done';
}

async function cancel(
  deps: DeliverDeps,
  message: DeliveryMessage,
  token: string | null,
): Promise<MessageResult> {
  const key = keyOf(message);
  const cancelled = await deps.cancelDelivery(key, 'endpoint_deleted', deps.now(), token);
  if (cancelled === 'cancelled') {
    deps.report({ name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' });
  }
  return cancelled === 'in_flight' ? 'retry' : 'done';
}

/** A display value: the attempt stands without it. */
async function touch(deps: DeliverDeps, endpoint: Endpoint, at: number): Promise<void> {
  try {
    await deps.touchEndpoint(endpoint, at);
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'touch', cause });
  }
}

function memoizeByEndpoint<T>(read: (message: DeliveryMessage) => Promise<T>) {
  const reads = new Map<string, Promise<T>>();
  return (message: DeliveryMessage): Promise<T> => {
    const key = `${message.customer_id} ${message.webhook_id}`;
    const pending = reads.get(key) ?? read(message);
    reads.set(key, pending);
    return pending;
  };
}

function keyOf(message: DeliveryMessage) {
  return { customerId: message.customer_id, webhookId: message.webhook_id, id: message.delivery_id };
}
