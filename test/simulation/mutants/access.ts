import { type Mutant, patched } from './mutant.ts';

/** Mistakes in who may act for a customer, and in the deletion of a customer. */
export const accessMutants: readonly Mutant[] = [
  patched('revoked link accepted', 'aRevokedCredentialIsRefused', () => {
    return (_ports, { table }) => ({
      authenticateLink: async (bearer) => {
        const [link] = [...table.portalLinks.values()];
        if (link === undefined) throw new Error(`Unknown: ${bearer.length} characters`);
        return { customerId: link.customerId, credentialId: link.id, endsAt: link.endsAt };
      },
    });
  }),
  patched('connection remembered by a warm function', 'aRevokedCredentialIsRefused', () => {
    const known = new Map<string, { readonly customerId: string; readonly credentialId: string }>();
    return ({ authenticateToken }) => ({
      authenticateToken: async (token) => {
        const principal = known.get(token) ?? (await authenticateToken(token));
        known.set(token, principal);
        return principal;
      },
    });
  }),
  patched('end of a link ignored', 'anEndedLinkIsRefused', () => {
    const known = new Map<string, { readonly customerId: string; readonly credentialId: string }>();
    return ({ authenticateLink }) => ({
      authenticateLink: async (bearer) => {
        const principal = known.get(bearer) ?? (await authenticateLink(bearer));
        known.set(bearer, principal);
        return principal;
      },
    });
  }),
  patched('link that ends when it is made', 'anOpenCredentialIsAccepted', () => {
    return ({ storePortalLink }) => ({
      storePortalLink: (link) => storePortalLink({ ...link, endsAt: link.createdAt }),
    });
  }),
  patched('customer read from the selection of another', 'aCredentialActsForItsCustomer', () => {
    return ({ authenticateToken }) => ({
      authenticateToken: async (token) => ({ ...(await authenticateToken(token)), customerId: 'cus_B' }),
    });
  }),
  patched('connections that outlive their customer', 'aCredentialOfADeletedCustomerIsRefused', () => {
    return ({ closeCustomer }, { table }) => ({
      closeCustomer: async (customerId) => {
        const before = [...table.connections.values()];
        const result = await closeCustomer(customerId);
        for (const connection of before) table.connections.set(connection.id, connection);
        return result;
      },
    });
  }),
  patched('endpoints kept until the rows are erased', 'nothingIsSentAfterACustomerWasClosed', () => {
    return (_ports, { table }, { io }) => ({
      closeCustomer: (customerId) =>
        io({ service: 'table', name: 'remove customer' }, () => {
          table.removeCustomer(customerId);
          return {};
        }),
    });
  }),
  patched('customer that is not closed', 'nothingIsAcceptedAfterACustomerWasClosed', () => {
    return () => ({ closeCustomer: async () => ({}) });
  }),
  patched('slots of a deleted customer kept', 'everyDeletionOfACustomerEndsAndLeavesNothing', () => {
    return (_ports, { table }) => ({
      forgetCustomer: async (customerId) => void table.listedCustomers.delete(customerId),
    });
  }),
];
