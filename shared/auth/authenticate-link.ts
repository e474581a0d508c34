import { problem } from '#shared/contract/problem.ts';
import { isPortalLinkOpen, type PortalLink } from '#shared/domain/portal-link.ts';
import type { Principal } from './authenticate.ts';
import { hashCredential } from './checked-token.ts';
import { isWellFormedPortalCredential } from './portal-credential.ts';

type Deps = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly findPortalLink: (hash: string) => Promise<PortalLink | null>;
};

/**
 * Authenticates the credential of a portal link, which acts for one customer until its end.
 *
 * @throws Problem `invalid_key` or `portal_link_ended`
 */
export function authenticateLink({ now, findPortalLink }: Deps) {
  return async (credential: string): Promise<Principal> => {
    const link = isWellFormedPortalCredential(credential)
      ? await findPortalLink(hashCredential(credential))
      : null;
    if (link === null) {
      throw problem('invalid_key', {
        detail: 'The portal link is not known here: open the whole link, or ask for a new one',
      });
    }
    if (!isPortalLinkOpen(link, now())) throw problem('portal_link_ended');
    return { customerId: link.customerId, credentialId: link.id, endsAt: link.endsAt };
  };
}
