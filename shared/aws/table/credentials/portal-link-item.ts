import * as z from 'zod/mini';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { reads, time } from '../stored-row.ts';

const portalLinkItem = z.object({
  id: z.string(),
  customer_id: z.string(),
  hash: z.string(),
  created_at: time,
  ends_at: time,
  read_only: z.optional(z.boolean()),
  revoked_at: z.optional(time),
});

/** Time after its end for which a link stays in the list of its customer. */
const keptSeconds = 24 * 60 * 60;

/** The attributes of both rows of a portal link. DynamoDB removes them a day after its end. */
export function toPortalLinkFacts(link: PortalLink) {
  return {
    id: link.id,
    customer_id: link.customerId,
    hash: link.hash,
    created_at: link.createdAt,
    ends_at: link.endsAt,
    ...(link.readOnly ? { read_only: true } : {}),
    expires_at: Math.ceil(link.endsAt / 1000) + keptSeconds,
  };
}

export const fromPortalLinkItem = reads(
  'Portal link',
  portalLinkItem,
  (item): PortalLink => ({
    id: item.id,
    customerId: item.customer_id,
    hash: item.hash,
    createdAt: item.created_at,
    endsAt: item.ends_at,
    readOnly: item.read_only ?? false,
    revokedAt: item.revoked_at ?? null,
  }),
);
