import * as z from 'zod/mini';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { orNull, type ReadRow, storedRecord, time } from '../stored-row.ts';

const stored = storedRecord('Portal link', {
  id: z.string(),
  customerId: z.string(),
  hash: z.string(),
  createdAt: time,
  endsAt: time,
  readOnly: z._default(z.boolean(), false),
  revokedAt: orNull(time),
});

/** Time after its end for which a link stays in the list of its customer. */
const keptSeconds = 24 * 60 * 60;

export const fromPortalLinkItem: ReadRow<PortalLink> = stored.read;

/** The attributes of both rows of a portal link. DynamoDB removes them a day after its end. */
export function toPortalLinkFacts(link: PortalLink) {
  return {
    ...stored.attributes({ ...link, readOnly: link.readOnly || null }),
    expires_at: Math.ceil(link.endsAt / 1000) + keptSeconds,
  };
}
