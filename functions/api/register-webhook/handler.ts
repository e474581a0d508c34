import { connectKeys } from '#shared/aws/clients.ts';
import { encryptSecret } from '#shared/aws/secret-cipher.ts';
import { cancelDelivery, recordAttempt, releaseAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { activateEndpoint, readLiveEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { presentRegistration } from '#shared/contract/records/registration.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { setting } from '#shared/runtime/environment.ts';
import { backoff, monotonic, now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';
import { headerSettings } from '../../wiring/header-settings.ts';
import { checkUrl, postEvent } from '../../wiring/outbound.ts';
import { withRetention } from '../../wiring/with-retention.ts';

const expiring = withRetention(table);

const register = registerWebhook({
  now,
  monotonic,
  randomBytes,
  report,
  ...headerSettings,
  checkUrl,
  postEvent,
  encryptSecret: encryptSecret(connectKeys(), setting('secretsKeyArn')),
  reserveEndpoint: reserveEndpoint(table, backoff),
  recordAttempt: recordAttempt(expiring),
  activateEndpoint: activateEndpoint(table),
  readDelivery: readDelivery(table),
  readLiveEndpoint: readLiveEndpoint(table),
  releaseAttempt: releaseAttempt(table),
  cancelDelivery: cancelDelivery(expiring),
});

export const handler = customerOperation('registerWebhook', async ({ customerId, body }) =>
  presentRegistration(await register(customerId, parseBody(registerWebhookBody, body)), now()),
);
