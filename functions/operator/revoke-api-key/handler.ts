import { markApiKeyRevoked } from '#shared/aws/table/credentials/customers.ts';
import { presentApiKey, revokeApiKeyRequest } from '#shared/contract/records/customer.ts';
import { CallRefused } from '#shared/runtime/operator-call.ts';
import { now } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

export const handler = operatorOperation(
  revokeApiKeyRequest,
  async ({ customer_id: customerId, key_id: credentialId }) => {
    const key = await markApiKeyRevoked(table, customerId, credentialId, now());
    if (key === null) throw new CallRefused('ApiKeyNotFound', 'The customer has no key with this `key_id`');
    report({ name: 'operator.done', operation: 'revokeApiKey', customerId, credentialId });
    return presentApiKey(key);
  },
);
