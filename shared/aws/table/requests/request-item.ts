import * as z from 'zod/mini';
import type { StoredRequest } from '#shared/domain/request-key.ts';
import { orNull, type ReadRow, storedRecord } from '../stored-row.ts';

const stored = storedRecord('Request', {
  fingerprint: z.string(),
  begunAt: z.number(),
  token: z.string(),
  leaseUntil: z.number(),
  isFree: z._default(z.boolean(), false),
  secret: orNull(z.string()),
  answer: orNull(z.string()),
});

export const fromRequestItem: ReadRow<StoredRequest> = stored.read;
