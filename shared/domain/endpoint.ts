import type { FailureStreak } from './failure-streak.ts';
import type { OwedNotice } from './notice.ts';
import type { SlowPace } from './post-window.ts';
import { rotationOverlap } from './signing-secret.ts';

/** A live endpoint is `active` or `failed`; a tombstone is `deleted`. */
type EndpointStatus = 'active' | 'failed' | 'deleted';

/** An encrypted signing secret, as it is stored. */
export type EncryptedSecret = string;

/** A customer's registered URL. Times are epoch milliseconds. */
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
  /** Number of partition keys for new deliveries. Never decreases. */
  readonly deliveryPartitions: number;
  /** When an attempt was first not answered in time; `null` for an endpoint that is not slow. It decides the lane. */
  readonly slowSince: number | null;
  /** How it answers in the slow lane, as far as a worker noted it. */
  readonly slowPace: SlowPace | null;
  /** When the first delivery ended `failed` after the last one that was delivered; `null` while there is none. */
  readonly failingSince: number | null;
  /** When the delivery ended that last cleared `failingSince` or the streak; `null` before. */
  readonly recoveredAt: number | null;
  /** Its failures in a row; `null` before the first. Only stages that send notices count them. */
  readonly failureStreak: FailureStreak | null;
  /** Changes of its health of which the operator has yet to be told. Empty unless the stage sends notices. */
  readonly owedNotices: readonly OwedNotice[];
};

/** What the deliveries of an endpoint have shown, before the first of them. */
export const initialState = {
  slowSince: null,
  slowPace: null,
  failingSince: null,
  recoveredAt: null,
  failureStreak: null,
  owedNotices: [],
} as const satisfies Partial<Endpoint>;

/** Locates the stored deliveries of an endpoint, live or deleted. */
export type DeliveryHistory = Pick<Endpoint, 'customerId' | 'id' | 'deliveryPartitions'>;

/**
 * Secrets that sign at `now` (epoch milliseconds), the current one first: two during a rotation overlap, otherwise one.
 */
export function validSecrets(endpoint: Endpoint, now: number): readonly EncryptedSecret[] {
  const previous = overlapExpiresAt(endpoint, now) === null ? null : endpoint.previousSecret;
  return previous === null ? [endpoint.secret] : [endpoint.secret, previous];
}

/** When the open rotation overlap ends; `null` when none is open. At that time, the old secret is already invalid. */
export function overlapExpiresAt(endpoint: Endpoint, now: number): number | null {
  const expiresAt = endpoint.previousSecretExpiresAt;
  return expiresAt !== null && expiresAt > now ? expiresAt : null;
}

/** When the old secret stops being valid after a rotation at `now`; epoch milliseconds. */
export function overlapEnd(now: number): number {
  return now + rotationOverlap;
}

/**
 * Milliseconds for which a worker may act on a read of an endpoint, counted from the start of the read. The response to
 * a deletion or rotation is sent `changeSettles` after the write. So no POST begins after the response to the deletion
 * of its endpoint, and every POST that begins after the response to a rotation is signed with the new secret. Only
 * durations on one machine are compared, never the clocks of two.
 */
export const readingLasts = 500;

/** Milliseconds; `readingLasts` plus the possible drift between two machines' timers in that time. */
export const changeSettles = readingLasts + 100;

/**
 * Whether a worker may still act on a read. Both times are milliseconds by a clock that nobody sets: by the time of day,
 * a read would last longer after the clock was set back.
 */
export function isCurrent(readAt: number, now: number): boolean {
  return now - readAt <= readingLasts;
}
