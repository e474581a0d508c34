import type { Command } from 'commander';
import { readBulkReplays } from '#shared/aws/table/replays/bulk-replays.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { findEndpoints, type PlaceOptions } from '../cli/place-options.ts';
import { nextCommand, onTarget, openTarget, type Target, type TargetOptions } from '../cli/target.ts';
import { plainText } from '../cli/text-table.ts';
import { bulkReplays } from './bulk-replays.ts';
import { withEndpointOptions } from './replay-options.ts';
import { replayJson, replayTable } from './replay-text.ts';

type Options = TargetOptions & OutputOptions & PlaceOptions;

/** Newest bulk replays of each endpoint in a list. */
const listed = 100;

export function addReplayCommands(replay: Command, print: Output): void {
  const endpointCommand = (name: string, description: string) =>
    onTarget(withEndpointOptions(replay.command(name).description(description)));
  endpointCommand('list', 'List the bulk replays of an endpoint or customer, newest first').action(
    (options: Options) => list(print, options),
  );
  endpointCommand('show <id>', 'Show one bulk replay, with who asked for it').action(
    (id: string, options: Options) => showOne(print, id, options),
  );
  endpointCommand('cancel <id>', 'Cancel a running bulk replay').action((id: string, options: Options) =>
    cancel(print, id, options),
  );
}

async function list(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const read = readBulkReplays(table);
  const jobs: BulkReplay[] = [];
  for (const { customerId, id } of await findEndpoints(table, options)) {
    jobs.push(...(await read(customerId, id, { after: null, limit: listed })).rows);
  }
  const shown = jobs.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const lines = shown.length === 0 ? ['No bulk replays in the last 90 days'] : replayTable(shown);
  show(print, options, shown.map(replayJson), lines);
}

async function showOne(print: Output, id: string, options: Options): Promise<void> {
  const job = await findReplay(await openTarget(options), id, options);
  show(print, options, replayJson(job), [...replayTable([job]), ...detailLines(job)]);
}

async function cancel(print: Output, id: string, options: Options): Promise<void> {
  const target = await openTarget(options);
  const job = await bulkReplays(target).cancel(await findReplay(target, id, options));
  if (job.status !== 'cancelled') throw new Error(`Bulk replay ${id} had ended already, as ${job.status}`);
  show(print, options, replayJson(job), [
    ...replayTable([job]),
    'Replays on the queue are still sent, within about ten seconds',
  ]);
}

/** @throws Error when no endpoint of the options has such a bulk replay */
async function findReplay(target: Target, id: string, options: Options): Promise<BulkReplay> {
  const { read } = bulkReplays(target);
  for (const { customerId, id: webhookId } of await findEndpoints(target.table, options)) {
    const job = await read({ customerId, webhookId, id });
    if (job !== null) return job;
  }
  const list = nextCommand(options, 'replay list --customer <id>');
  throw new Error(`Bulk replay ${id} not found there. List them with: ${list}`);
}

function detailLines({ selection, requestedBy, cancelReason, rate }: BulkReplay): readonly string[] {
  const { status, createdAfter, createdBefore } = selection;
  const by =
    requestedBy.by === 'customer'
      ? `the customer, with credential ${requestedBy.credentialId}`
      : `an operator${requestedBy.note === null ? '' : `, ${plainText(requestedBy.note)}`}`;
  return [
    `Deliveries with status ${status}, created from ${timestamp(createdAfter)} until ${timestamp(createdBefore)}`,
    `Pace: ${rate} a second`,
    `Requested by ${by}`,
    ...(cancelReason === null ? [] : [`Cancelled: ${plainText(cancelReason)}`]),
  ];
}
