import * as z from 'zod/mini';
import {
  type BulkReplay,
  bulkReplayExpiry,
  bulkReplayStatuses,
  replayableResponses,
  replayableStatuses,
} from '#shared/domain/bulk-replay.ts';
import { bulkReplayKey } from '../keys.ts';
import { type Attributes, orNull, storedRecord, time } from '../stored-row.ts';

const stored = storedRecord('Bulk replay', {
  pk: z.string(),
  sk: z.string(),
  deliveries: z.enum(replayableStatuses),
  createdAfter: time,
  createdBefore: time,
  source: z.optional(z.string()),
  eventType: z.optional(z.string()),
  response: z.optional(z.enum(replayableResponses)),
  deliveryIds: z.optional(z.array(z.string())),
  rate: z.number(),
  /** `operator` with the operator's note, or `customer` with the id of the credential. */
  requestedBy: z.enum(['customer', 'operator']),
  credential: z._default(z.string(), ''),
  note: orNull(z.string()),
  status: z.enum(bulkReplayStatuses),
  cancelReason: orNull(z.string()),
  replayed: z.number(),
  skipped: z.number(),
  step: z.number(),
  cursor: orNull(z.string()),
  endedAt: orNull(time),
  tallied: z._default(z.boolean(), false),
});

export function toBulkReplayItem(job: BulkReplay): Attributes {
  const { selection, requestedBy, endedAt } = job;
  const { status: deliveries, sourceWebhookId: source, ...selected } = selection;
  return {
    ...bulkReplayKey(job),
    ...stored.attributes({
      ...job,
      ...selected,
      deliveries,
      source,
      tallied: job.isTallied || null,
      requestedBy: requestedBy.by,
      credential: requestedBy.by === 'customer' ? requestedBy.credentialId : null,
      note: requestedBy.by === 'operator' ? requestedBy.note : null,
    }),
    ...(endedAt === null ? {} : { expires_at: bulkReplayExpiry(endedAt) }),
  };
}

export function fromBulkReplayItem(row: unknown): BulkReplay {
  const { pk, sk: id, deliveries: status, source: sourceWebhookId, tallied: isTallied, ...item } = stored.read(row);
  const { createdAfter, createdBefore, eventType, response, deliveryIds, credential, note, ...job } = item;
  const [, customerId = '', webhookId = ''] = pk.split('#');
  return {
    ...job,
    id,
    customerId,
    webhookId,
    selection: { status, createdAfter, createdBefore, sourceWebhookId, eventType, response, deliveryIds },
    requestedBy:
      job.requestedBy === 'operator' ? { by: 'operator', note } : { by: 'customer', credentialId: credential },
    isTallied,
  };
}
