import { rotationOverlap } from './signing-secret.ts';

/** `deleted` is what a tombstone shows; a live endpoint is `active` or `failed`. */
type EndpointStatus = 'active' | 'failed' | 'deleted';

/** A signing secret as it is stored: readable only with the key that sealed it. */
export type EncryptedSecret = string;

/** Times are epoch milliseconds. */
export type Endpoint = {
  readonly id: string;
  readonly customerId: string;
  readonly url: string;
  readonly description: string;
  readonly status: EndpointStatus;
  readonly secret: EncryptedSecret;
  readonly secretPrefix: string;
  readonly previousSecret: EncryptedSecret | null;
  readonly previousSecretExpiresAt: number | null;
  readonly createdAt: number;
  readonly activatedAt: number | null;
  readonly lastDeliveryAt: number | null;
  /** How many partition keys new deliveries are spread over. It only ever grows. */
  readonly deliveryPartitions: number;
};

/** Secrets that sign at this time, the current one first: two during a rotation overlap, else one. */
export function validSecrets(endpoint: Endpoint, now: number): readonly EncryptedSecret[] {
  const previous = overlapExpiresAt(endpoint, now) === null ? null : endpoint.previousSecret;
  return previous === null ? [endpoint.secret] : [endpoint.secret, previous];
}

/** When the open rotation overlap ends, or `null` when none is open. The old secret is invalid at that instant. */
export function overlapExpiresAt(endpoint: Endpoint, now: number): number | null {
  const expiresAt = endpoint.previousSecretExpiresAt;
  return expiresAt !== null && expiresAt > now ? expiresAt : null;
}

/** When the old secret of a rotation at `now` stops being valid. */
export function overlapEnd(now: number): number {
  return now + rotationOverlap;
}

/**
 * Milliseconds for which a worker may act on a read of an endpoint, counted from when the read was sent. A deletion or
 * rotation is answered `changeSettles` after it was stored. So no POST begins after the response to its endpoint's
 * deletion, and every POST that begins after the response to a rotation is signed with the new secret. Only durations
 * on one machine are compared, never the clocks of two.
 */
export const readingLasts = 500;

/** Longer than `readingLasts` by the drift that two machines' timers can have in that time. */
export const changeSettles = readingLasts + 100;

/** Whether a worker may still act on a read. After the clock was set back the age is unknown, so it may not. */
export function isCurrent(readAt: number, now: number): boolean {
  return now >= readAt && now - readAt <= readingLasts;
}
