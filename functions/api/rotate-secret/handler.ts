import { connectKeys } from '#shared/aws/clients.ts';
import { encryptSecret } from '#shared/aws/secret-cipher.ts';
import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import { replaceSecret } from '#shared/aws/table/endpoints/endpoints.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { setting } from '#shared/runtime/environment.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now, randomBytes, wait } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const rotate = rotateSecret({
  now,
  wait,
  randomBytes,
  encryptSecret: encryptSecret(connectKeys(), setting('secretsKeyArn')),
  replaceSecret: replaceSecret(table),
  readAttemptTimes: readAttemptTimes(table),
  report,
});

export const handler = customerOperation('rotateSecret', async ({ customerId, path }) => {
  const { endpoint, secret, overlapEnd } = await rotate(customerId, pathId(path, 'id', 'webhook'));
  return { webhook: presentWebhook(endpoint, now()), secret, overlap_expires_at: timestamp(overlapEnd) };
});
