import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type BulkReplayKey, bulkReplayExpiry, type ReplayProgress } from '#shared/domain/bulk-replay.ts';
import { idPrefixes } from '#shared/domain/ids.ts';
import type {
  AdvanceReplay,
  ClaimReplayStep,
  EndBulkReplay,
  ReadBulkReplay,
  ReadBulkReplays,
  ReadRunningReplay,
  ReplayEnd,
  StoreBulkReplay,
} from '#shared/operations/replays/ports.ts';
import type { Backoff } from '../backoff.ts';
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

export function readRunningReplay(table: Table): ReadRunningReplay {
  return (customerId, webhookId) => readRow(table, runningReplayKey(customerId, webhookId), fromRunningItem);
}

export function readBulkReplay(table: Table): ReadBulkReplay {
  return (key) => readRow(table, bulkReplayKey(key), fromBulkReplayItem);
}

export function readBulkReplays(table: Table): ReadBulkReplays {
  return (customerId, webhookId, page) => {
    const { pk } = bulkReplayKey({ customerId, webhookId, id: '' });
    return readSorted(table, { pk, prefix: idPrefixes.bulkReplay }, page, fromBulkReplayItem);
  };
}

export function storeBulkReplay(table: Table, backoff: Backoff): StoreBulkReplay {
  const { name: TableName } = table;
  return async (job) => {
    const running = { ...runningReplayKey(job.customerId, job.webhookId), replay_id: job.id };
    const input = {
      // Makes a retry of this request idempotent.
      ClientRequestToken: job.id,
      TransactItems: [
        { Put: { TableName, Item: running, ConditionExpression: clauses.isNew } },
        { Put: { TableName, Item: toBulkReplayItem(job) } },
      ],
    };
    return (await transact(table, input, backoff)) === null;
  };
}

export function claimReplayStep(table: Table): ClaimReplayStep {
  return async ({ key, step }, { now, leaseUntil }) => {
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
  };
}

export function advanceReplay(table: Table): AdvanceReplay {
  return async ({ key, step }, progress) => {
    const { assignments, names, values } = progressParts(progress);
    const result = await updateIf(table, {
      Key: bulkReplayKey(key),
      UpdateExpression: `SET step = :next, ${assignments} REMOVE lease_until`,
      ConditionExpression: clauses.isThisStep,
      ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: { ...values, ':step': step, ':next': step + 1 },
    });
    return !isRefused(result);
  };
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

export function endBulkReplay(table: Table, backoff: Backoff): EndBulkReplay {
  const read = readBulkReplay(table);
  return async (key, end) => {
    await transact(table, endInput(table.name, key, end), backoff);
    const job = await read(key);
    // Not by the result of the write: the client retries one whose response was lost.
    return { ended: job?.status === end.status && job.endedAt === end.at, job };
  };
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
