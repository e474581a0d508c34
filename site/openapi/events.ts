import { readEvent } from '#shared/contract/event-body.ts';
import { type EventType, eventTypes } from '#shared/domain/event.ts';
import { attemptTimeout, maxAttempts } from '#shared/domain/retry-plan.ts';
import { type StandardHeaders, signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { reference } from './component-schemas.ts';
import { type JsonObject, jsonOf } from './json.ts';
import { bodies, event, eventBodies, eventTexts, sentAt } from './schemas/event-schemas.ts';
import { secrets } from './story.ts';

const signatureText =
  '`t` in Unix seconds, and one `v1` per valid secret: two for 24 hours after a rotation. Each `v1` is the ' +
  'HMAC-SHA256 of `<t>.<raw body>` in hex, keyed with the whole secret as shown. Reject a `t` that is more than ' +
  '300 seconds from the current time.';

/** The headers of Standard Webhooks, which a deployment can turn off. */
const standardTexts: Readonly<Record<string, string>> = {
  'webhook-id': 'The `id` of the body: the same on every attempt and replay.',
  'webhook-timestamp': 'When the attempt was made, in Unix seconds: the `t` above.',
  'webhook-signature':
    'The signature in the Standard Webhooks format: one `v1,<base64>` per valid secret, newest first, separated by ' +
    'spaces. Each is the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the bytes that the ' +
    'part of the secret after `whsec_` decodes to. Reject a timestamp that is more than 300 seconds from the current ' +
    'time.',
} satisfies Readonly<Record<keyof StandardHeaders, string>>;

const header = (name: string, description: string, example: string, required = true): JsonObject => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
});

/** The example signatures verify the example bodies with the example secret. */
function headersOf(type: EventType): readonly JsonObject[] {
  const body = Buffer.from(bodies[type]);
  const { id } = readEvent(bodies[type]);
  const time = Date.parse(sentAt[type]);
  const standard = standardHeaders([secrets.first], id, body, time);
  return [
    header('X-Service-Signature', signatureText, signatureHeader([secrets.first], body, time)),
    header('X-Service-Event-Id', 'The `id` of the body.', id),
    header('X-Service-Event-Type', 'The `type` of the body.', type),
    ...Object.entries(standard).map(([name, value]) => header(name, standardTexts[name] ?? '', value, false)),
  ];
}

/** The `webhooks` section of the OpenAPI 3.1 document. */
export function webhooks(): JsonObject {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOperation(type) }]));
}

function webhookOperation(type: EventType): JsonObject {
  const { summary, description } = eventTexts[type];
  return {
    operationId: type,
    tags: ['Events'],
    summary,
    description,
    security: [],
    parameters: headersOf(type),
    requestBody: {
      required: true,
      description: 'Compact JSON. Verify its bytes as they arrived, before you parse them.',
      content: {
        'application/json': {
          schema: reference(eventBodies[type]),
          example: jsonOf(JSON.parse(bodies[type])),
        },
      },
    },
    responses,
  };
}

const responses: JsonObject = {
  '2XX': { description: 'Acknowledged. Only the status is read.' },
  '4XX': {
    description: 'A failed attempt, like every status outside of 2XX. No status disables an endpoint.',
  },
  default: {
    description:
      `Any other status, including redirects, or no status within ${attemptTimeout / 1000} seconds is a ` +
      `failed attempt. There are ${maxAttempts} attempts: the second 10 minutes after the first, the third ` +
      '50 minutes after the second.',
  },
};

/** The `callbacks` of a registration: every event of the customer goes to the registered URL. */
export const eventCallbacks: JsonObject = {
  event: {
    '{$request.body#/url}': {
      post: {
        operationId: 'receiveEvent',
        tags: ['Events'],
        summary: 'Any event',
        description: 'The section `webhooks` describes each event, with the headers that carry its signature.',
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: reference(event) } },
        },
        responses,
      },
    },
  },
};
