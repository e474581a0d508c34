import { listQuery } from '#shared/contract/list-query.ts';
import { registrationRecord } from '#shared/contract/records/registration.ts';
import { registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import { secretRotation, webhookSchemas } from '../schemas/webhook-schemas.ts';
import type { Operation } from './operation-details.ts';

const timeoutSeconds = attemptTimeout / 1000;

export const webhookOperations = {
  registerWebhook: {
    description:
      'Registers a URL and sends it a `webhook.test` event before it responds. If the URL answers with 2xx within ' +
      `${timeoutSeconds} seconds, the endpoint is \`active\` and receives every event of the customer from now on. ` +
      'After any other outcome it is `failed`: it receives nothing and holds a slot until you delete it.\n\n' +
      'The response is 201 in both cases, so read `webhook.status`; `test_delivery.error` says what went wrong. The ' +
      'test event arrives before you know the secret: respond with 2xx to a `webhook.test` that you cannot verify, and ' +
      'do nothing else.\n\n' +
      'Store `secret` now: no later response contains it.',
    success: 'The endpoint, `active` or `failed`, with its secret and the delivery of its test event.',
    body: registerWebhookBody,
    response: registrationRecord,
  },
  listWebhooks: {
    description: 'Lists the endpoints of the customer, without deleted ones, newest first.',
    success: 'One page of endpoints.',
    query: listQuery,
    response: webhookSchemas.WebhookList.schema,
  },
  getWebhook: {
    description:
      'Reads one endpoint. A deleted endpoint stays readable, with the status `deleted`. No response contains the ' +
      'secret; `secret_prefix` tells which one is in use.',
    success: 'The endpoint.',
    response: webhookRecord,
  },
  deleteWebhook: {
    description:
      'Deletes an endpoint, `active` or `failed`, and frees its slot. No POST to the endpoint begins after this ' +
      'response; its pending deliveries end as `failed`. Its deliveries stay readable. A deleted endpoint cannot be ' +
      'restored: register the URL again, and get a new id and a new secret.',
    success: 'The endpoint is deleted. The response has no body.',
    response: null,
  },
  rotateSecret: {
    description:
      'Creates a new signing secret. For 24 hours the old secret stays valid, and every delivery is signed with both, ' +
      'so that you can change your receiver without losing an event. There is no way to end the overlap early or to ' +
      'rotate again before it ends.\n\nStore `secret` now: no later response contains it.',
    success: 'The endpoint and its new secret.',
    response: secretRotation,
  },
} as const satisfies Readonly<Record<string, Operation>>;
