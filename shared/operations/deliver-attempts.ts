import type { DeliveryMessage } from '../contract/delivery-message.ts';
import { readEventBody } from '../contract/event-body.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { claimGrace, claimLease } from '../domain/retry-plan.ts';
import { OpenedSecrets } from './opened-secrets.ts';
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
 * Makes the attempts that a batch of messages asks for, side by side; what is slow or fails for one endpoint takes
 * nothing from the attempts at another.
 *
 * @returns one result for each message, in order
 */
export function deliverAttempts(deps: DeliverDeps) {
  return async (messages: readonly DeliveryMessage[]): Promise<readonly MessageResult[]> => {
    const results: MessageResult[] = messages.map(() => 'retry');
    const groups = Map.groupBy(messages.entries(), ([, { customer_id, webhook_id }]) =>
      [customer_id, webhook_id].join(' '),
    );
    await Promise.all(
      [...groups.values()].map(async (group) => {
        const attempted = await attemptAll(
          deps,
          group.map(([, message]) => message),
        );
        for (const [index, [position]] of group.entries()) results[position] = attempted[index] ?? 'retry';
      }),
    );
    return results;
  };
}

/**
 * The attempts at one endpoint, in phases, so that they share its reads:
 *
 * 1. ready: the endpoint is there and its secrets can be opened, else nothing is claimed;
 * 2. claim: the attempt is counted before anything is sent;
 * 3. current: the endpoint is read again, now strongly, so that none is attempted after its deletion was answered
 *    and secrets are those of this moment;
 * 4. send, record, schedule.
 */
async function attemptAll(
  deps: DeliverDeps,
  messages: readonly DeliveryMessage[],
): Promise<readonly MessageResult[]> {
  const opened = new OpenedSecrets(deps.openSecret);
  const ready = once((message: DeliveryMessage) => isReady(deps, message, opened));
  const claims = await Promise.all(
    messages.map((message) => guarded(deps, message, async () => claim(deps, message, await ready(message)))),
  );

  const current = once((message: DeliveryMessage) => readReceiver(deps, message, opened));
  return Promise.all(
    claims.map(async ({ message, result }) => {
      if (typeof result === 'string') return result;
      const step = await guarded(deps, message, async () =>
        attempt(deps, message, result, await current(message)),
      );
      return step.result === 'done' ? 'done' : 'retry';
    }),
  );
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
async function isReady(deps: DeliverDeps, message: DeliveryMessage, opened: OpenedSecrets): Promise<boolean> {
  const { customer_id, webhook_id } = message;
  const endpoint =
    (await deps.readLiveEndpoint(customer_id, webhook_id, 'eventual')) ??
    (await deps.readLiveEndpoint(customer_id, webhook_id, 'strong'));
  if (endpoint === null) return false;
  await openValidSecrets(endpoint, deps.now(), opened.open);
  return true;
}

/** The endpoint as it is, with the secrets that sign now; `null` when it was deleted. */
type Receiver = { readonly endpoint: Endpoint; readonly secrets: readonly string[] };

/**
 * Nothing but this read comes between a deletion and a POST: when a rotation left a secret that has yet to be opened,
 * which takes time, the endpoint is read once more.
 */
async function readReceiver(
  deps: DeliverDeps,
  message: DeliveryMessage,
  opened: OpenedSecrets,
): Promise<Receiver | null> {
  const endpoint = await deps.readLiveEndpoint(message.customer_id, message.webhook_id, 'strong');
  if (endpoint === null) return null;
  const asked = opened.size;
  const secrets = await openValidSecrets(endpoint, deps.now(), opened.open);
  return opened.size === asked ? { endpoint, secrets } : readReceiver(deps, message, opened);
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
  receiver: Receiver | null,
): Promise<MessageResult> {
  if (receiver === null) return cancel(deps, message, claimed.claim.token);
  const { endpoint, secrets } = receiver;
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

/** All callers share the first call. */
function once<A, T>(run: (argument: A) => Promise<T>): (argument: A) => Promise<T> {
  let result: Promise<T> | undefined;
  return (argument) => {
    result ??= run(argument);
    return result;
  };
}

function keyOf(message: DeliveryMessage) {
  return { customerId: message.customer_id, webhookId: message.webhook_id, id: message.delivery_id };
}
