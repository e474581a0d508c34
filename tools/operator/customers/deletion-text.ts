import type { Count } from '#shared/aws/table/credentials/deletion-counts.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { RowCounts } from '#shared/domain/row-counts.ts';
import { type ErasureStep, quietTime } from '#shared/operations/operator/delete-customer.ts';
import type { DeletionPlan } from '#shared/operations/operator/plan-deletion.ts';
import { recordTable, textTable, when } from '../cli/text-table.ts';

/** US dollars for a pass over a table: 0.5 read units for 4 KB, at $0.125 for a million. */
function passCost(bytes: number): number {
  return (bytes / 4096) * 0.5 * (0.125 / 1_000_000);
}

/** What a deletion cannot remove, and for how long it stays. */
export const remains: readonly { readonly place: string; readonly stays: string }[] = [
  { place: 'messages in the queues', stays: 'up to 4 days; they are refused or do nothing' },
  { place: 'schedules of retries, with ids', stays: 'up to an hour' },
  {
    place: 'dead letters, with the bodies of refused messages',
    stays: 'up to 14 days, or dead-letters delete',
  },
  { place: 'notices that were sent, and their dead letters', stays: 'with their receiver; up to 14 days' },
  { place: 'dead letters of the event bus', stays: 'up to 14 days' },
  { place: 'log lines with ids', stays: 'logRetentionDays, by default 30 days' },
  { place: 'access log, with addresses of callers', stays: 'logRetentionDays' },
  { place: 'backups of the table', stays: '35 days, if the stage retains its data' },
  { place: 'copies in AWS Backup, with backupDays', stays: 'backupDays' },
];

export function planJson(plan: DeletionPlan) {
  const { customer, isResumed, keys, endpoints, deletedEndpoints, deliveries, runs, table } = plan;
  return {
    id: customer.id,
    name: customer.name,
    created_at: timestamp(customer.createdAt),
    resumed: isResumed,
    keys: keys.length,
    endpoints: endpoints.map(({ id, url }) => ({ id, url })),
    deleted_endpoints: countJson(deletedEndpoints),
    deliveries: countJson(deliveries),
    runs: countJson(runs),
    table: { bytes: table.bytes, rows: table.rows, usd_per_pass: passCost(table.bytes) },
  };
}

const countJson = ({ rows, isExact }: Count) => ({ at_least: rows, exact: isExact });

export function planLines(plan: DeletionPlan): readonly string[] {
  const { customer, keys, endpoints, deletedEndpoints, deliveries, runs, table } = plan;
  const rows = [
    ['API keys', keys.length],
    ['endpoints', endpoints.length],
    ['deleted endpoints', countText(deletedEndpoints)],
    ['deliveries', countText(deliveries)],
    ['Runs', countText(runs)],
  ];
  return [
    `Customer ${customer.id}, "${customer.name}", created ${timestamp(customer.createdAt)}`,
    ...when(plan.isResumed, 'An earlier deletion of this customer did not complete; this one continues it'),
    ...textTable(['ROWS', 'COUNT'], rows),
    ...endpoints.map(({ id, url }) => `Endpoint ${id}: ${url}`),
    'Also: connections, portal links, Run items, Trackers, Change Reports, creators and videos, which only a pass over ' +
      'the table finds',
    `A pass reads the whole table: about ${table.rows} rows, ${sizeText(table.bytes)}, $${passCost(table.bytes).toFixed(2)}. ` +
      `A deletion takes two passes, with a pause of ${quietTime / 60_000} minutes before the second`,
  ];
}

function countText({ rows, isExact }: Count): string {
  return isExact ? String(rows) : `${rows} or more`;
}

function sizeText(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes >= 1024 ? `${(megabytes / 1024).toFixed(1)} GB` : `${Math.ceil(megabytes)} MB`;
}

/** Names of kinds of rows for people. */
const labels: Readonly<Record<string, string>> = {
  customer: 'customer, keys and endpoints',
  customerReference: 'reference of the customer',
  activity: 'activity of endpoints',
  request: 'answers to requests with an idempotency key',
  customerList: 'listing of the customer',
  apiKey: 'keys by hash',
  connection: 'connections',
  portalLink: 'portal links',
  bulkReplays: 'bulk replays',
  deliveries: 'deliveries',
  eventReplays: 'replays of events',
  run: 'Runs and their items',
  tracker: 'Trackers and Change Reports',
  changeReport: 'places of Change Reports',
  creator: 'creators and videos',
};

export function countLines(title: string, counts: RowCounts): readonly string[] {
  const rows = Object.entries(counts).map(([kind, count]) => [labels[kind] ?? kind, count]);
  return rows.length === 0 ? ['No rows'] : textTable(['ROWS', title], rows);
}

const steps: Readonly<Record<Exclude<ErasureStep['step'], 'erasing'>, string>> = {
  closing: 'Closing the customer: its credentials stop working, and nothing is sent to its endpoints',
  waiting: 'Waiting until no running function remembers the customer',
  closed: 'Closed: nothing about the customer is accepted, stored or sent any more',
  forgetting: 'Nothing is left',
};

export function stepLine(step: ErasureStep): string {
  if (step.step !== 'erasing') return steps[step.step];
  return `Pass ${step.pass}: read ${step.read} rows, removed ${step.removed}`;
}

export function remainsLines(): readonly string[] {
  return ['Not in the table, and not removed:', ...recordTable(remains, { WHERE: 'place', 'STAYS FOR': 'stays' })];
}
