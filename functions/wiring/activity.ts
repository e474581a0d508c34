import type { Activity } from '#shared/domain/activity.ts';
import { noteActivity } from '#shared/operations/customer/note-activity.ts';
import type { Seed } from '#shared/operations/seed.ts';
import type { ApiRequest } from '#shared/runtime/api-request.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { table } from './customer-operation.ts';

const note = noteActivity({ now, randomBytes, report, table });

/** What a request did to an endpoint. */
export type Done = Pick<Activity, 'action' | 'webhookId'> & { readonly subjectId?: string };

/** Notes what a request did, and with which credential. @param seed default: that of a request without a key */
export function noteDone(request: ApiRequest, done: Done, seed?: Seed): Promise<void> {
  const { customerId, principal } = request;
  return note({ customerId, credentialId: principal.credentialId, subjectId: null, ...done }, seed);
}
