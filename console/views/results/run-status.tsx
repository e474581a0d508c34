import type { Run } from '../../api/records.ts';

const tones: Readonly<Record<Run['status'], string>> = {
  queued: 'quiet',
  running: 'open',
  completed: 'good',
  partial: 'open',
  failed: 'bad',
};

/** The state of a Run. */
export function RunStatus({ status }: { readonly status: Run['status'] }) {
  return <span class={`badge ${tones[status] ?? 'quiet'}`}>{status}</span>;
}
