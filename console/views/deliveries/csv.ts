import type { EndpointDelivery } from '../../api/records.ts';

const columns = [
  'id',
  'webhook_id',
  'event_id',
  'event_type',
  'example_type',
  'status',
  'attempts',
  'outcome',
  'response_status',
  'error',
  'run_id',
  'tracker_id',
  'change_report_id',
  'replay_of',
  'source_webhook_id',
  'created_at',
  'last_attempt_at',
  'delivered_at',
  'failed_at',
  'next_attempt_at',
] as const satisfies readonly (keyof EndpointDelivery)[];

/** A table with the names of the API in its first line, as RFC 4180 writes it. */
export function csvOf(deliveries: readonly EndpointDelivery[]): string {
  const lines = deliveries.map((delivery) => columns.map((name) => cellOf(delivery[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** A spreadsheet computes what begins like a formula, and ids come from other systems. */
function cellOf(value: string | number | null): string {
  const text = String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
