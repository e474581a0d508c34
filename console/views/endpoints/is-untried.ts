import type { Webhook } from '../../api/records.ts';

/** Whether an active endpoint has got nothing but the test event of its registration. */
export function isUntried({
  status,
  activated_at: activated,
  last_delivery_at: last,
}: Pick<Webhook, 'status' | 'activated_at' | 'last_delivery_at'>): boolean {
  return status === 'active' && (last ?? '') <= (activated ?? '');
}
