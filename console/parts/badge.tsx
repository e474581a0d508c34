import type { BulkReplay, Delivery, Run, Webhook } from '../api/records.ts';

export type Status = BulkReplay['status'] | Delivery['status'] | Run['status'] | Webhook['status'];

const tones: Readonly<Record<Status, string>> = {
  active: 'good',
  delivered: 'good',
  completed: 'good',
  failed: 'bad',
  pending: 'open',
  running: 'open',
  partial: 'open',
  queued: 'quiet',
  cancelled: 'quiet',
  deleted: 'quiet',
};

/** A status. The text says it, the color repeats it. */
export function Badge({ status }: { readonly status: Status }) {
  return <span class={`badge ${tones[status] ?? 'quiet'}`}>{status}</span>;
}
