import { hashCredential, makeApiKey } from '#shared/auth/checked-token.ts';
import { decryptAnswer, encryptAnswer } from '#shared/aws/answer-cipher.ts';
import { connectKeys } from '#shared/aws/clients.ts';
import { createApiKeyRequest, presentApiKey } from '#shared/contract/records/customer.ts';
import { issueApiKeyOnce } from '#shared/operations/operator/issue-api-key.ts';
import { setting } from '#shared/runtime/environment.ts';
import { customerNotFound } from '#shared/runtime/operator-call.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

const keys = connectKeys();
const issue = issueApiKeyOnce({
  table,
  now,
  randomBytes,
  makeKey: makeApiKey,
  hashKey: hashCredential,
  encryptAnswer: encryptAnswer(keys, setting('secretsKeyArn'), randomBytes),
  decryptAnswer: decryptAnswer(keys, setting('secretsKeyArn')),
});

export const handler = operatorOperation(
  createApiKeyRequest,
  async ({ customer_id: customerId, idempotency_key: key }) => {
    const issued = await issue(customerId, key, ({ stored, key: api_key }) => ({
      ...presentApiKey(stored),
      api_key,
    }));
    if (issued === null) throw customerNotFound();
    const { answer, newId } = issued;
    if (newId !== null) {
      report({ name: 'operator.done', operation: 'createApiKey', customerId, credentialId: newId });
    }
    return answer;
  },
);
