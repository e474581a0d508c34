import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import {
  type BulkReplay,
  type BulkReplayKey,
  bulkReplayExpiry,
  type ReplayCancelReason,
  type ReplayProgress,
  type ReplayStep,
} from '#shared/domain/bulk-replay.ts';
import { idPrefixes } from '#shared/domain/ids.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { isRefused, updateIf } from '../conditional-write.ts';
import { bulkReplayKey, runningReplayKey } from '../keys.ts';
import { readSorted } from '../results/result-pages.ts';
import { readRow, reads } from '../stored-row.ts';
import { transact } from '../transact.ts';
import { fromBulkReplayItem, toBulkReplayItem } from './bulk-replay-item.ts';

/**
 * A running job has a second row, which is the same for every job of its endpoint. The transaction that stores a job
 * writes it, and the transaction that ends the job removes it, so an endpoint has at most one running job.
 */
const clauses = {
  isNew: 'attribute_not_exists(pk)',
  isRunning: '#status = :running',
  isThisStep: 'step = :step',
  isFree: '(attribute_not_exists(lease_until) OR lease_until <= :now)',
  isOfThisJob: 'replay_id = :id',
} as const;

const fromRunningItem = reads('Running replay', z.object({ replay_id: z.string() }), (row) => row.replay_id);

const leaseOf = reads(
  'Bulk replay',
  z.object({ lease_until: z.optional(z.number()) }),
  (row) => row.lease_until ?? null,
);

/** The id of the bulk replay of an endpoint that is running; strongly consistent. */
export function readRunningReplay(table: Table, customerId: string, webhookId: string): Promise<string | null> {
  return readRow(table, runningReplayKey(customerId, webhookId), fromRunningItem);
}

/** Strongly consistent. */
export function readBulkReplay(table: Table, key: BulkReplayKey): Promise<BulkReplay | null> {
  return readRow(table, bulkReplayKey(key), fromBulkReplayItem);
}

/** A page of the bulk replays of an endpoint, newest first; strongly consistent. */
export function readBulkReplays(
  table: Table,
  customerId: string,
  webhookId: string,
  page: PageRequest,
): Promise<Rows<BulkReplay>> {
  const { pk } = bulkReplayKey({ customerId, webhookId, id: '' });
  return readSorted(table, { pk, prefix: idPrefixes.bulkReplay }, page, fromBulkReplayItem);
}

/** Stores a running bulk replay unless its endpoint has one. @returns `false` when it has */
export async function storeBulkReplay(table: Table, job: BulkReplay): Promise<boolean> {
  const { name: TableName } = table;
  const running = { ...runningReplayKey(job.customerId, job.webhookId), replay_id: job.id };
  const input = {
    // Makes a retry of this request idempotent.
    ClientRequestToken: job.id,
    TransactItems: [
      { Put: { TableName, Item: running, ConditionExpression: clauses.isNew } },
      { Put: { TableName, Item: toBulkReplayItem(job) } },
    ],
  };
  return (await transact(table, input)) === null;
}

/**
 * The job as it is stored, `null` when there is none. `heldUntil`: the end of the last claim of its current step, epoch
 * milliseconds; `null` when nobody has claimed it.
 */
export type StepClaim =
  | { readonly claimed: true; readonly job: BulkReplay }
  | { readonly claimed: false; readonly job: BulkReplay | null; readonly heldUntil: number | null };

/**
 * Claims the step that a running bulk replay runs next, unless another worker holds it.
 *
 * @param claim epoch milliseconds
 */
export async function claimReplayStep(
  table: Table,
  { key, step }: ReplayStep,
  { now, leaseUntil }: { readonly now: number; readonly leaseUntil: number },
): Promise<StepClaim> {
  const result = await updateIf(table, {
    Key: bulkReplayKey(key),
    UpdateExpression: 'SET lease_until = :lease_until, claimed_at = :now',
    ConditionExpression: `${clauses.isRunning} AND ${clauses.isThisStep} AND ${clauses.isFree}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':running': 'running',
      ':step': step,
      ':now': now,
      ':lease_until': leaseUntil,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return { claimed: true, job: fromBulkReplayItem(result.Attributes) };
  if (result.item === null) return { claimed: false, job: null, heldUntil: null };
  const job = fromBulkReplayItem(result.item);
  const heldUntil = leaseOf(result.item);
  // The client retries a write whose response was lost: a claim that ends at this time was made by this call.
  return heldUntil === leaseUntil ? { claimed: true, job } : { claimed: false, job, heldUntil };
}

/**
 * Records a step and makes the next one the current. A job that was cancelled meanwhile is recorded too.
 *
 * @returns `false` when another worker recorded the step
 */
export async function advanceReplay(
  table: Table,
  { key, step }: ReplayStep,
  progress: ReplayProgress,
): Promise<boolean> {
  const { assignments, names, values } = progressParts(progress);
  const result = await updateIf(table, {
    Key: bulkReplayKey(key),
    UpdateExpression: `SET step = :next, ${assignments} REMOVE lease_until`,
    ConditionExpression: clauses.isThisStep,
    ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: { ...values, ':step': step, ':next': step + 1 },
  });
  return !isRefused(result);
}

function progressParts({ replayed, skipped, cursor }: ReplayProgress) {
  return {
    assignments: `replayed = :replayed, skipped = :skipped${cursor === null ? '' : ', #cursor = :cursor'}`,
    names: cursor === null ? {} : { '#cursor': 'cursor' },
    values: {
      ':replayed': replayed,
      ':skipped': skipped,
      ...(cursor === null ? {} : { ':cursor': cursor }),
    },
  };
}

/** How a bulk replay ends. `at`: epoch milliseconds; `progress`: what its last step did. */
export type ReplayEnd = { readonly at: number } & (
  | { readonly status: 'completed'; readonly progress: ReplayProgress }
  | { readonly status: 'cancelled'; readonly reason: ReplayCancelReason }
);

/**
 * Ends a running bulk replay and lets its endpoint have another one.
 *
 * @returns the job as it is stored afterwards, with this end or an earlier one; `null` when there is none
 */
export async function endBulkReplay(
  table: Table,
  key: BulkReplayKey,
  end: ReplayEnd,
): Promise<{ readonly ended: boolean; readonly job: BulkReplay | null }> {
  await transact(table, endInput(table.name, key, end));
  const job = await readBulkReplay(table, key);
  // Not by the result of the write: the client retries one whose response was lost.
  return { ended: job?.status === end.status && job.endedAt === end.at, job };
}

function endInput(tableName: string, key: BulkReplayKey, end: ReplayEnd): TransactWriteCommandInput {
  const { assignments, removed, names, values } = endParts(end);
  return {
    TransactItems: [
      {
        Update: {
          TableName: tableName,
          Key: bulkReplayKey(key),
          UpdateExpression: `SET #status = :status, ended_at = :at, ${tableSchema.expiresAt} = :expires, ${assignments}${removed}`,
          ConditionExpression: clauses.isRunning,
          ExpressionAttributeNames: { '#status': 'status', ...names },
          ExpressionAttributeValues: {
            ...values,
            ':running': 'running',
            ':status': end.status,
            ':at': end.at,
            ':expires': bulkReplayExpiry(end.at),
          },
        },
      },
      {
        Delete: {
          TableName: tableName,
          Key: runningReplayKey(key.customerId, key.webhookId),
          ConditionExpression: clauses.isOfThisJob,
          ExpressionAttributeValues: { ':id': key.id },
        },
      },
    ],
  };
}

/** A cancelled job keeps the claim of its step, which shows that the step began. */
function endParts(end: ReplayEnd) {
  return end.status === 'completed'
    ? { ...progressParts(end.progress), removed: ' REMOVE lease_until' }
    : { assignments: 'cancel_reason = :reason', removed: '', names: {}, values: { ':reason': end.reason } };
}
