import { presentRegistration } from '#shared/contract/records/registration.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { monotonic, now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { table } from '../../wiring/customer-operation.ts';
import { headerSettings } from '../../wiring/header-settings.ts';
import { encrypt, keyedOperation } from '../../wiring/keyed-operation.ts';
import { checkUrl, postEvent } from '../../wiring/outbound.ts';
import { withRetention } from '../../wiring/with-retention.ts';

const register = registerWebhook({
  table: withRetention(table),
  now,
  monotonic,
  randomBytes,
  report,
  ...headerSettings,
  checkUrl,
  postEvent,
  encryptSecret: encrypt,
});

export const handler = keyedOperation(
  'registerWebhook',
  ({ body }) => parseBody(registerWebhookBody, body),
  async (given, { customerId }, seed) => {
    const body = presentRegistration(await register(customerId, given, seed), now());
    const { webhook, test_delivery: delivery } = body;
    return { body, done: { action: 'registered', webhookId: webhook.id, subjectId: delivery.id } };
  },
);
