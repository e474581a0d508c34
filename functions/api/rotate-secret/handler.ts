import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now, randomBytes, wait } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { table } from '../../wiring/customer-operation.ts';
import { encrypt, keyedOperation } from '../../wiring/keyed-operation.ts';

const rotate = rotateSecret({
  table,
  now,
  wait,
  randomBytes,
  encryptSecret: encrypt,
  report,
});

export const handler = keyedOperation(
  'rotateSecret',
  ({ path }) => pathId(path, 'id', 'webhook'),
  async (webhookId, { customerId }, seed) => {
    const { endpoint, secret, overlapEnd } = await rotate(customerId, webhookId, seed);
    return {
      body: { webhook: presentWebhook(endpoint, now()), secret, overlap_expires_at: timestamp(overlapEnd) },
      done: { action: 'secret_rotated', webhookId },
    };
  },
);
