import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import {
  type ClaimedDelivery,
  type Delivery,
  isHandshake,
  recorded,
  type Transition,
  transitionAfter,
} from '#shared/domain/delivery.ts';
import type { Clock, PostEvent, RecordAttempt, Withdrawal } from '#shared/operations/ports.ts';
import { deliveryHeaders } from './sign-event.ts';

export type SendDeps = {
  readonly now: Clock;
  /** The word between `X-` and `-Signature` in the headers of a delivery. */
  readonly serviceName: string;
  readonly postEvent: PostEvent;
  readonly recordAttempt: RecordAttempt;
};

export type SentAttempt = {
  /** The delivery as it is now. */
  readonly delivery: Delivery;
  readonly entry: AttemptLogEntry;
  readonly transition: Transition;
  /** `false` when the claim was lost meanwhile: what happened here is not what the delivery says. */
  readonly recorded: boolean;
};

/**
 * Makes one claimed attempt: connects, signs with a fresh timestamp, posts, and records the outcome together with the
 * time of the next attempt in one conditional write.
 *
 * @param receiver `secrets` is asked when the connection stands, in the moment in which the request begins
 * @returns the withdrawal that `secrets` answered; then nothing was sent, and the claim still holds
 */
export function sendAttempt(deps: SendDeps) {
  return async (
    claimed: ClaimedDelivery,
    receiver: {
      readonly url: string;
      readonly secrets: () => Promise<readonly string[] | Withdrawal>;
    },
  ): Promise<SentAttempt | Withdrawal> => {
    const body = new TextEncoder().encode(claimed.body);
    const { serviceName } = deps;
    const at = deps.now();

    const posted = await deps.postEvent({
      webhookId: claimed.webhookId,
      url: receiver.url,
      headers: async () => {
        const secrets = await receiver.secrets();
        if (typeof secrets === 'string') return secrets;
        return deliveryHeaders({ serviceName, secrets, event: claimed.event, body, sentAt: deps.now() });
      },
      body,
    });
    if (typeof posted === 'string') return posted;

    const { outcome, responseStatus, error, durationMs, timings } = posted;
    const entry = { at, outcome, responseStatus, error, durationMs, timings };
    const transition = transitionAfter(claimed.attempts, outcome, deps.now(), isHandshake(claimed));
    const isRecorded = await deps.recordAttempt({
      key: claimed,
      attempt: claimed.attempts,
      token: claimed.claim.token,
      entry,
      transition,
    });
    return { delivery: recorded(claimed, entry, transition), entry, transition, recorded: isRecorded };
  };
}
