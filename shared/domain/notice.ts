import { digest } from './derived-id.ts';
import { makeId } from './ids.ts';

/**
 * A change of the health of an endpoint, of which the operator has yet to be told. It is stored together with the change.
 * Times are epoch milliseconds.
 */
export type OwedNotice = {
  readonly type: 'endpoint.failing' | 'endpoint.recovered';
  /** When the delivery ended that changed the health. */
  readonly at: number;
  /** That delivery. Its message stays on the queue until the notice is sent. */
  readonly deliveryId: string;
  readonly failingSince: number;
  /** How the last attempt ended: an `AttemptOutcome`, or an outcome of another release. */
  readonly outcome: string;
  readonly responseStatus: number | null;
  readonly error: string | null;
};

/** What the operator is told. */
export type Notice = OwedNotice & {
  /** Of the newest deliveries that ended, from 0 to 1; `null` when none has. */
  readonly deliveredShare: number | null;
};

/** The id of a notice: every copy has the same one. */
export function noticeId(webhookId: string, { at, type }: OwedNotice): string {
  return makeId('notice', at, digest(webhookId, type));
}
