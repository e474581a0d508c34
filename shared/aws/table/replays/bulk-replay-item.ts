import * as z from 'zod/mini';
import {
  type BulkReplay,
  bulkReplayExpiry,
  bulkReplayStatuses,
  type ReplayRequester,
  replayableStatuses,
} from '#shared/domain/bulk-replay.ts';
import { bulkReplayKey } from '../keys.ts';
import { reads, time } from '../stored-row.ts';

const bulkReplayItem = z.object({
  pk: z.string(),
  sk: z.string(),
  deliveries: z.enum(replayableStatuses),
  created_after: time,
  created_before: time,
  rate: z.number(),
  /** `operator` with the operator's note, or `customer` with the id of the credential. */
  requested_by: z.enum(['customer', 'operator']),
  credential: z._default(z.string(), ''),
  note: z.optional(z.string()),
  status: z.enum(bulkReplayStatuses),
  cancel_reason: z.optional(z.string()),
  replayed: z.number(),
  skipped: z.number(),
  step: z.number(),
  cursor: z.optional(z.string()),
  ended_at: z.optional(time),
});

export function toBulkReplayItem(job: BulkReplay) {
  const { selection, requestedBy, cancelReason, cursor, endedAt } = job;
  return {
    ...bulkReplayKey(job),
    deliveries: selection.status,
    created_after: selection.createdAfter,
    created_before: selection.createdBefore,
    rate: job.rate,
    ...requesterAttributes(requestedBy),
    status: job.status,
    ...(cancelReason === null ? {} : { cancel_reason: cancelReason }),
    replayed: job.replayed,
    skipped: job.skipped,
    step: job.step,
    ...(cursor === null ? {} : { cursor }),
    ...(endedAt === null ? {} : { ended_at: endedAt, expires_at: bulkReplayExpiry(endedAt) }),
  };
}

function requesterAttributes(requester: ReplayRequester) {
  const requested_by = requester.by;
  if (requester.by === 'customer') return { requested_by, credential: requester.credentialId };
  return requester.note === null ? { requested_by } : { requested_by, note: requester.note };
}

export const fromBulkReplayItem = reads('Bulk replay', bulkReplayItem, (item): BulkReplay => {
  const [, customerId = '', webhookId = ''] = item.pk.split('#');
  return {
    id: item.sk,
    customerId,
    webhookId,
    selection: {
      status: item.deliveries,
      createdAfter: item.created_after,
      createdBefore: item.created_before,
    },
    rate: item.rate,
    requestedBy:
      item.requested_by === 'operator'
        ? { by: 'operator', note: item.note ?? null }
        : { by: 'customer', credentialId: item.credential },
    status: item.status,
    cancelReason: item.cancel_reason ?? null,
    replayed: item.replayed,
    skipped: item.skipped,
    step: item.step,
    cursor: item.cursor ?? null,
    endedAt: item.ended_at ?? null,
  };
});
