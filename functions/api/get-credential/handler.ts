import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { presentCredential } from '#shared/contract/records/credential.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

export const handler = customerOperation('getCredential', async ({ customerId, principal }) => {
  const { credentialId, endsAt = null, readOnly = false } = principal;
  // An access token may act for an organization that the operator has not created here.
  const publicName = (await readCustomer(table, customerId))?.publicName ?? '';
  return presentCredential({ credentialId, customerId, publicName, endsAt, readOnly });
});
