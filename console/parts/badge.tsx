import type { Delivery, Webhook } from '../api/records.ts';

type Status = Delivery['status'] | Webhook['status'];

const tones: Readonly<Record<Status, string>> = {
  active: 'good',
  delivered: 'good',
  failed: 'bad',
  pending: 'open',
  deleted: 'quiet',
};

/** The status of an endpoint or a delivery. The text says it, the color repeats it. */
export function Badge({ status }: { readonly status: Status }) {
  return <span class={`badge ${tones[status] ?? 'quiet'}`}>{status}</span>;
}
