import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import { type EndedReplays, tallyExpiry } from '#shared/domain/replay-outcomes.ts';
import { updateIf } from '../conditional-write.ts';
import { bulkReplayKey, tallyKey } from '../keys.ts';
import { queryPages, rowsBelow } from '../query-pages.ts';
import { readAll } from '../stored-row.ts';
import { transact } from '../transact.ts';
import { fromTallyItem } from './tally-item.ts';

const exists = 'attribute_exists(pk)';

/**
 * Stores the tallies of a step, which may be stored already, unless the job is gone: so nothing is left of a customer that
 * is deleted meanwhile.
 *
 * @param at epoch milliseconds; decides when they expire
 */
export async function openTallies(
  table: Table,
  job: BulkReplayKey,
  tallies: readonly string[],
  at: number,
): Promise<void> {
  const { name: TableName } = table;
  const open = tallies.map((tally) => ({
    Update: {
      TableName,
      Key: tallyKey(job.customerId, job.webhookId, tally),
      UpdateExpression: `SET ${tableSchema.expiresAt} = :expires`,
      ExpressionAttributeValues: { ':expires': tallyExpiry(at) },
    },
  }));
  const isJob = { ConditionCheck: { TableName, Key: bulkReplayKey(job), ConditionExpression: exists } };
  await transact(table, { TransactItems: [isJob, ...open] });
}

/** Marks of deliveries by how they ended. */
type Marks = { readonly delivered: readonly string[]; readonly failed: readonly string[] };

/**
 * Adds marks to a tally; those that it holds count once. A tally that is gone counts nothing: it has expired, or its
 * customer was deleted.
 */
export async function addToTally(
  table: Table,
  { customerId, webhookId }: Pick<BulkReplayKey, 'customerId' | 'webhookId'>,
  tally: string,
  marks: Marks,
): Promise<void> {
  const given = Object.entries(marks).filter(([, each]) => each.length > 0);
  await updateIf(table, {
    Key: tallyKey(customerId, webhookId, tally),
    UpdateExpression: `ADD ${given.map(([status]) => `${status} :${status}`).join(', ')}`,
    ConditionExpression: exists,
    ExpressionAttributeValues: Object.fromEntries(given.map(([status, each]) => [`:${status}`, new Set(each)])),
  });
}

/** How many replays of a job have ended, and how. Those of the last second may be missing. */
export async function readEndedReplays(
  table: Table,
  { customerId, webhookId, id }: BulkReplayKey,
): Promise<EndedReplays> {
  const ended = { delivered: 0, failed: 0 };
  for await (const rows of queryPages(table, rowsBelow(tallyKey(customerId, webhookId, `${id}#`)))) {
    for (const { delivered, failed } of readAll(table, rows, fromTallyItem)) {
      ended.delivered += delivered;
      ended.failed += failed;
    }
  }
  return ended;
}
