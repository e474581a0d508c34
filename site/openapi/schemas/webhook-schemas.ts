import * as z from 'zod';
import { limits } from '#shared/contract/limits.ts';
import { registrationRecord } from '#shared/contract/records/registration.ts';
import { registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import { maxUrlLength } from '#shared/domain/endpoint-url.ts';
import { described, id, link, listOf, time } from '../described.ts';

const secret = z.string();
const secretText = {
  description: 'The signing secret. It is shown once: store it now, and keep it out of logs.',
  pattern: '^whsec_',
};

export const secretRotation = z.object({ webhook: webhookRecord, secret, overlap_expires_at: z.string() });

export const webhookSchemas = {
  Webhook: described(webhookRecord, 'An endpoint: a URL that receives every event of the customer.', {
    id: id('webhook', 'The id of the endpoint.'),
    url: link('The https URL that receives the events, in normal form.'),
    status:
      '`active` endpoints receive events. A `failed` endpoint did not acknowledge its test event, or has not yet: it ' +
      'receives nothing and holds a slot until you delete it. A `deleted` endpoint is readable, with its deliveries.',
    description: 'Your text for the endpoint. Empty when the registration gave none.',
    secret_prefix:
      'The first characters of the current secret. They distinguish two secrets and cannot verify a signature.',
    previous_secret_expires_at: time(
      'When the previous secret stops being valid. `null` when no rotation overlap is open.',
    ),
    created_at: time('When the endpoint was registered.'),
    activated_at: time('When the endpoint acknowledged its test event; `null` when it did not.'),
    last_delivery_at: time('When the last attempt of any delivery began; `null` before the first.'),
    failing_since: time(
      'Since when events do not arrive: the `failed_at` of the first delivery that failed after the last one that was ' +
        'delivered, examples and replays included. `null` while events arrive, and on an endpoint that is not `active`.',
    ),
  }),
  WebhookList: listOf(webhookRecord, 'endpoints'),
  RegisterWebhookRequest: described(registerWebhookBody, 'The endpoint to register.', {
    url: {
      description:
        `An https URL of at most ${maxUrlLength} characters, without user name, password or fragment. Its host ` +
        'must have public IPv4 addresses. The service does not follow redirects, so send the final URL.',
      format: 'uri',
      pattern: '^https://',
      maxLength: maxUrlLength,
    },
    description: {
      description:
        `Your text for the endpoint, of at most ${limits.descriptionLength} characters, without U+FFFE, U+FFFF ` +
        'and control characters other than tabs and line breaks. Empty when absent.',
      pattern: '^[^\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F\\uFFFE\\uFFFF]*$',
    },
  }),
  WebhookRegistration: described(registrationRecord, 'A new endpoint, its secret and its test delivery.', {
    webhook: 'The endpoint. Read `status`: it is `failed` when the test event was not acknowledged.',
    secret: secretText,
    test_delivery: 'The delivery of the test event. `error` says why it failed.',
    next_step:
      'What to do next, for people: how to use the endpoint, or how to recover when the test event was not ' +
      'acknowledged. The wording may change.',
  }),
  SecretRotation: described(secretRotation, 'An endpoint with its new secret.', {
    webhook: 'The endpoint, with the prefix of the new secret.',
    secret: secretText,
    overlap_expires_at: time(
      'When the old secret stops being valid. Until then, every delivery is signed with both secrets.',
    ),
  }),
} as const;
