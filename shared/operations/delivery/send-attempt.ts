import type { RecordedAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import type { AttemptLogEntry, Withdrawal } from '#shared/domain/attempt.ts';
import {
  type ClaimedDelivery,
  type Delivery,
  recorded,
  type Transition,
  transitionAfter,
} from '#shared/domain/delivery.ts';
import {
  constantHeaders,
  type HeaderEvent,
  type HeaderSettings,
  signatureName,
} from '#shared/domain/delivery-headers.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { Headers, PostEvent, Posted, Report } from '#shared/operations/ports.ts';
import { askFor, type ReceiverDeps, type SharedReceiver } from './receiver.ts';

export type SendDeps = ReceiverDeps & HeaderSettings & Pick<Needs, 'now'>;

/** How an attempt is made: what posts it, records it and tells of it. */
export type Sending = {
  readonly post: PostEvent;
  /** @returns `false` when another worker recorded the attempt */
  readonly record: (attempt: RecordedAttempt<Delivery>) => Promise<boolean>;
  readonly tell: Report;
};

export type SentAttempt = {
  /** The delivery after the attempt. */
  readonly delivery: Delivery;
  readonly entry: AttemptLogEntry;
  readonly transition: Transition;
  /** `false` when the claim was lost meanwhile: another worker's record counts, and this outcome does not. */
  readonly isRecorded: boolean;
  /** When the response to it has ended: see `Posted`. */
  readonly ended: Posted['ended'];
};

/**
 * Makes one claimed attempt: connects, signs with a fresh timestamp, posts, and records the outcome together with the
 * time of the next attempt in one conditional write. Reports the attempt once it is recorded.
 *
 * @returns a withdrawal when nothing was sent; the claim then still holds
 */
export async function sendAttempt(
  deps: SendDeps,
  claimed: ClaimedDelivery,
  receiver: SharedReceiver,
  sending: Sending,
): Promise<SentAttempt | Withdrawal> {
  const at = deps.now();
  const result = await post(deps, claimed, receiver, sending);
  if (typeof result === 'string') return result;

  const { ended, ...answer } = result;
  const entry = { at, ...answer };
  const transition = transitionAfter(claimed, answer.outcome, deps.now());
  const isRecorded = await sending.record({
    key: claimed,
    attempt: claimed.attempts,
    fencingToken: claimed.claim.fencingToken,
    entry,
    transition,
  });
  const about = { delivery: claimed, attempt: claimed.attempts };
  sending.tell(
    isRecorded
      ? { name: 'delivery.attempted', ...about, entry, transition }
      : { name: 'delivery.superseded', ...about },
  );
  return { delivery: recorded(claimed, entry, transition), entry, transition, isRecorded, ended };
}

/**
 * Asks for the receiver before a connection is opened, so that none is after the deletion, and creates the headers once it
 * is open, so that the receiver is current when the request begins.
 */
function post(
  deps: SendDeps,
  claimed: ClaimedDelivery,
  receiver: SharedReceiver,
  sending: Sending,
): Promise<Posted | Withdrawal> {
  const body = new TextEncoder().encode(claimed.body);
  const ask = askFor(receiver);
  return sending.post({
    webhookId: claimed.webhookId,
    url: receiver.endpoint.url,
    mayConnect: async () => {
      const current = await ask();
      return typeof current === 'string' ? current : null;
    },
    headers: async () => {
      const current = await ask();
      if (typeof current === 'string') return current;
      return deliveryHeaders(deps, current.secrets, claimed.event, body, deps.now());
    },
    body,
  });
}

/**
 * The headers of a delivery.
 *
 * @param sentAt epoch milliseconds; goes into the signatures
 */
function deliveryHeaders(
  settings: HeaderSettings,
  secrets: readonly string[],
  event: HeaderEvent,
  body: Uint8Array,
  sentAt: number,
): Headers {
  return {
    ...constantHeaders(settings, event),
    [signatureName(settings)]: signatureHeader(secrets, body, sentAt),
    ...(settings.standardWebhooks ? standardHeaders(secrets, event.id, body, sentAt) : {}),
  };
}
