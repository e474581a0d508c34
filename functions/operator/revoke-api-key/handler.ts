import { connectServedTable } from '#shared/aws/clients.ts';
import { markApiKeyRevoked } from '#shared/aws/table/credentials/customers.ts';
import { presentApiKey, revokeApiKeyRequest } from '#shared/contract/records/customer.ts';
import { setting } from '#shared/runtime/environment.ts';
import { CallRefused, operatorCall } from '#shared/runtime/operator-call.ts';
import { now } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';

const revoke = markApiKeyRevoked(connectServedTable(setting('tableName'), report, now));

export const handler = withRequestId(
  operatorCall(revokeApiKeyRequest, async ({ customer_id: customerId, key_id: credentialId }) => {
    const key = await revoke(customerId, credentialId, now());
    if (key === null) throw new CallRefused('ApiKeyNotFound', 'The customer has no key with this `key_id`');
    report({ name: 'operator.done', operation: 'revokeApiKey', customerId, credentialId });
    return presentApiKey(key);
  }),
);
