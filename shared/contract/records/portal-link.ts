import * as z from 'zod/mini';
import { limits } from '#shared/contract/limits.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';

/**
 * The request of an operator's backend for a link: what `functions/operator/create-portal-link` is called with. An
 * unknown member is refused: a misspelled `minutes` would make a link of another length.
 */
export const createPortalLinkRequest = z.strictObject({
  customer_id: z.string().check(z.minLength(1)),
  minutes: z._default(
    z.int().check(z.minimum(1), z.maximum(limits.portalLinkMinutesMax)),
    limits.portalLinkMinutes,
  ),
  read_only: z._default(z.boolean(), false),
});

/** A link without its credential. */
export function presentPortalLink({ id, customerId, createdAt, endsAt, readOnly, revokedAt }: PortalLink) {
  return {
    id,
    customer_id: customerId,
    created_at: timestamp(createdAt),
    expires_at: timestamp(endsAt),
    read_only: readOnly,
    revoked_at: timestampOrNull(revokedAt),
  };
}
