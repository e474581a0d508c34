import type { Command } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { readBulkReplay, readBulkReplays } from '#shared/aws/table/replays/bulk-replays.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { now } from '#shared/runtime/system.ts';
import { findEndpoints, type PlaceOptions } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { plainText } from '../cli/text-table.ts';
import { withEndpointOptions } from './replay-options.ts';
import { selectionLine } from './replay-plan-text.ts';
import { replayJson, replayTable } from './replay-text.ts';

type OfPlace = Invocation<PlaceOptions>;

/** Newest bulk replays of each endpoint in a list. */
const listed = 100;

export function addReplayCommands(replay: Command): void {
  const endpointCommand = (name: string, description: string) =>
    onTarget(withEndpointOptions(replay.command(name)), description);
  endpointCommand('list', 'List the bulk replays of an endpoint or customer, newest first').action(invoke(list));
  endpointCommand('show <id>', 'Show one bulk replay, with who asked for it').action(invoke(showOne));
  endpointCommand('cancel <id>', 'Cancel a running bulk replay').action(invoke(cancel));
}

async function list(invocation: OfPlace): Promise<void> {
  const { table } = await invocation.open();
  const jobs: BulkReplay[] = [];
  for (const { customerId, id } of await findEndpoints(table, invocation)) {
    jobs.push(...(await readBulkReplays(table, customerId, id, { after: null, limit: listed })).rows);
  }
  const newestFirst = jobs.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const shown = await inGroups(newestFirst, (job) => countOutcomes(table, job));
  const lines = shown.length === 0 ? ['No bulk replays in the last 90 days'] : replayTable(shown);
  invocation.show(shown.map(replayJson), lines);
}

async function showOne(invocation: OfPlace, id: string): Promise<void> {
  const { table } = await invocation.open();
  const job = await countOutcomes(table, await findReplay(table, id, invocation));
  invocation.show(replayJson(job), [...replayTable([job]), ...detailLines(job)]);
}

async function cancel(invocation: OfPlace, id: string): Promise<void> {
  const { table } = await invocation.open();
  const cancelling = cancelBulkReplay({ table, now });
  const { job } = await cancelling(await findReplay(table, id, invocation));
  if (job.status !== 'cancelled') throw new Error(`Bulk replay ${id} had ended already, as ${job.status}`);
  const counted = await countOutcomes(table, job);
  invocation.show(replayJson(counted), [
    ...replayTable([counted]),
    'Replays on the queue are still sent, within about ten seconds',
  ]);
}

/** @throws Error when no endpoint of the options has such a bulk replay */
async function findReplay(table: Table, id: string, invocation: OfPlace): Promise<BulkReplay> {
  for (const { customerId, id: webhookId } of await findEndpoints(table, invocation)) {
    const job = await readBulkReplay(table, { customerId, webhookId, id });
    if (job !== null) return job;
  }
  const list = invocation.next('replay list --customer <id>');
  throw new Error(`Bulk replay ${id} not found there. List them with: ${list}`);
}

function detailLines({ selection, requestedBy, cancelReason, rate }: BulkReplay): readonly string[] {
  const by =
    requestedBy.by === 'customer'
      ? `the customer, with credential ${requestedBy.credentialId}`
      : `an operator${requestedBy.note === null ? '' : `, ${plainText(requestedBy.note)}`}`;
  return [
    selectionLine(selection),
    `Pace: ${rate} a second`,
    `Requested by ${by}`,
    ...(cancelReason === null ? [] : [`Cancelled: ${plainText(cancelReason)}`]),
  ];
}
