import type { BulkReplay } from '../../api/records.ts';

const tones: Readonly<Record<BulkReplay['status'], string>> = {
  running: 'open',
  completed: 'good',
  cancelled: 'quiet',
};

/** The state of a bulk replay. */
export function StatusText({ job }: { readonly job: BulkReplay }) {
  return <span class={`badge ${tones[job.status] ?? 'quiet'}`}>{job.status}</span>;
}
