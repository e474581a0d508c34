import * as z from 'zod/mini';
import type { StoredRequest } from '#shared/domain/request-key.ts';
import { reads } from '../stored-row.ts';

const requestItem = z.object({
  fingerprint: z.string(),
  begun_at: z.number(),
  token: z.string(),
  lease_until: z.number(),
  is_free: z._default(z.boolean(), false),
  secret: z.optional(z.string()),
  answer: z.optional(z.string()),
});

export const fromRequestItem = reads(
  'Request',
  requestItem,
  (item): StoredRequest => ({
    fingerprint: item.fingerprint,
    begunAt: item.begun_at,
    token: item.token,
    leaseUntil: item.lease_until,
    isFree: item.is_free,
    secret: item.secret ?? null,
    answer: item.answer ?? null,
  }),
);
