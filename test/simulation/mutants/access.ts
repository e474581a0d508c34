import type { Principal } from '#shared/auth/authenticate.ts';
import { toConnectionItem } from '#shared/aws/table/credentials/connection-item.ts';
import { customerKey, customerListKey } from '#shared/aws/table/keys.ts';
import { mutants, remembering } from './mutant.ts';

/** Makes the authentication of a warm function that remembers whom each credential stood for. */
function whomItKnows() {
  const known = new Map<string, Principal>();
  return (authenticate: (bearer: string) => Promise<Principal>) => async (bearer: string) => {
    const principal = known.get(bearer) ?? (await authenticate(bearer));
    known.set(bearer, principal);
    return principal;
  };
}

/** Mistakes in who may act for a customer, and in the deletion of a customer. */
export const accessMutants = mutants({
  aRevokedCredentialIsRefused: {
    'revoked link accepted': (_ports, { table }) => ({
      authenticateLink: async (bearer) => {
        const [link] = [...table.portalLinks.values()];
        if (link === undefined) throw new Error(`Unknown: ${bearer.length} characters`);
        return { customerId: link.customerId, credentialId: link.id, endsAt: link.endsAt };
      },
    }),
    'connection remembered by a warm function': remembering(() => {
      const known = whomItKnows();
      return ({ authenticateToken }) => ({ authenticateToken: known(authenticateToken) });
    }),
  },
  anEndedLinkIsRefused: {
    'end of a link ignored': remembering(() => {
      const known = whomItKnows();
      return ({ authenticateLink }) => ({ authenticateLink: known(authenticateLink) });
    }),
  },
  anOpenCredentialIsAccepted: {
    'link that ends when it is made': ({ storePortalLink }) => ({
      storePortalLink: (link) => storePortalLink({ ...link, endsAt: link.createdAt }),
    }),
  },
  aCredentialActsForItsCustomer: {
    'customer read from the selection of another': ({ authenticateToken }) => ({
      authenticateToken: async (token) => ({ ...(await authenticateToken(token)), customerId: 'cus_B' }),
    }),
  },
  aCredentialOfADeletedCustomerIsRefused: {
    'connections that outlive their customer': ({ closeCustomer }, { table }) => ({
      closeCustomer: async (customerId) => {
        const before = [...table.connections.values()];
        const result = await closeCustomer(customerId);
        for (const connection of before) table.put(toConnectionItem(connection));
        return result;
      },
    }),
  },
  nothingIsSentAfterACustomerWasClosed: {
    'endpoints kept until the rows are erased': (_ports, { table }, { io }) => ({
      closeCustomer: (customerId) =>
        io({ service: 'table', name: 'remove customer' }, () => {
          table.remove(customerKey(customerId));
          return {};
        }),
    }),
  },
  nothingIsAcceptedAfterACustomerWasClosed: {
    'customer that is not closed': () => ({ closeCustomer: async () => ({}) }),
  },
  everyDeletionOfACustomerEndsAndLeavesNothing: {
    'slots of a deleted customer kept': (_ports, { table }) => ({
      forgetCustomer: async (customerId) => table.remove(customerListKey(customerId)),
    }),
  },
});
