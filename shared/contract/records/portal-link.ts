import * as z from 'zod/mini';
import { limits } from '#shared/contract/limits.ts';
import { givenId } from '#shared/contract/text-rules.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';

/**
 * The part of an address of the console after its `#`: of every view, so that a link leads there and nowhere else. A test
 * compares it with the views of the console.
 */
const consolePath =
  /^\/(endpoints(\/new|\/whe_\w+(\/deliveries\/whd_\w+|\/replays(\/rpl_\w+)?)?)?|deliveries(\?[\w.:%=&+-]*)?|resend|signature|runs(\/run_[\w-]+)?|trackers\/trk_[\w-]+(\/reports\/chg_[\w-]+)?)$/;

export const isConsolePath = (text: string): boolean => text.length <= 512 && consolePath.test(text);

const consolePathRule = 'must be a page of the console, such as `/endpoints/whe_…`: what follows `#` there';

/**
 * The request of an operator's backend for a link: what `functions/operator/create-portal-link` is called with. An
 * unknown member is refused: a misspelled `minutes` would make a link of another length.
 */
export const createPortalLinkRequest = z.strictObject({
  customer_id: givenId(),
  minutes: z._default(z.int().check(z.minimum(1), z.maximum(limits.portalLinkMinutesMax)), limits.portalLinkMinutes),
  read_only: z._default(z.boolean(), false),
  to: z.optional(z.string().check(z.refine(isConsolePath, consolePathRule))),
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
