import type { Endpoint } from './endpoint.ts';

/**
 * Whether the events of an endpoint arrive, by the deliveries that have ended. Only a change is stored, so an ordinary
 * delivery writes nothing for it. The order of two outcomes is that of the times at which their deliveries ended, however
 * late one of them is noted.
 */
export type Health = Pick<Endpoint, 'failingSince' | 'recoveredAt'>;

/** The end of a delivery that was attempted. */
export type Ended = {
  readonly status: 'delivered' | 'failed';
  /** Epoch milliseconds. */
  readonly endedAt: number;
};

/** The health of an endpoint after a delivery ended: the same object when nothing changes. */
export function healthAfter(health: Health, { status, endedAt }: Ended): Health {
  const { failingSince, recoveredAt } = health;
  if (status === 'delivered') {
    const isNews = failingSince !== null && failingSince <= endedAt;
    return isNews ? { failingSince: null, recoveredAt: endedAt } : health;
  }
  if (recoveredAt !== null && recoveredAt >= endedAt) return health;
  return failingSince === null || failingSince > endedAt ? { failingSince: endedAt, recoveredAt } : health;
}
