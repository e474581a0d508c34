import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { storePortalLink } from '#shared/aws/table/credentials/portal-links.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'randomBytes' | 'baseUrl'> & {
  readonly makeCredential: (random: Uint8Array) => string;
  readonly hashCredential: (credential: string) => string;
};

type Terms = {
  readonly minutes: number;
  readonly readOnly: boolean;
  /** The page of the console that it opens, without `#`. Default: the first one. */
  readonly to?: string | undefined;
};

export type CreatedPortalLink = {
  readonly link: PortalLink;
  /** The address of the console with the credential in its fragment, which browsers never send. */
  readonly url: string;
};

/**
 * Makes a link that signs a customer in to the console. Only the returned address contains the credential.
 *
 * The customer is read again after the link was stored. A deletion removes the customer before it looks for links: it
 * either finds this one, or the customer is gone here and nobody learns the credential.
 *
 * @param terms minutes until the link ends, whether its credential may only read, and where it leads
 * @returns `null` when the customer does not exist
 */
export function createPortalLink(deps: Deps) {
  return async (customerId: string, { minutes, readOnly, to }: Terms): Promise<CreatedPortalLink | null> => {
    if ((await readCustomer(deps.table, customerId)) === null) return null;
    const createdAt = deps.now();
    const credential = deps.makeCredential(deps.randomBytes(32));
    const link: PortalLink = {
      id: makeId('portalLink', createdAt, deps.randomBytes(10)),
      customerId,
      hash: deps.hashCredential(credential),
      createdAt,
      endsAt: createdAt + minutes * 60_000,
      readOnly,
      revokedAt: null,
    };
    await storePortalLink(deps.table, link);
    const isThere = (await readCustomer(deps.table, customerId)) !== null;
    const view = to === undefined ? '' : `&to=${encodeURIComponent(to).replaceAll('%2F', '/')}`;
    return isThere ? { link, url: `${deps.baseUrl}/console#token=${credential}${view}` } : null;
  };
}
