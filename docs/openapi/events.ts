import * as z from 'zod';
import {
  type EventRun,
  type EventType,
  runCompletedBody,
  trackerChangedBody,
  webhookTestBody,
} from '#shared/domain/event.ts';
import { attemptTimeout, maxAttempts } from '#shared/domain/retry-plan.ts';
import { type JsonObject, toJsonSchema } from './json-schema.ts';

/** A request to an endpoint. `shared/domain` builds its body. */
type EventDetails = {
  readonly summary: string;
  readonly body: z.ZodType;
  /** A complete body, exactly as it is sent. */
  readonly example: string;
};

const eventId = z.string().describe('The same on every attempt and replay. Use it to detect duplicates.');
const createdAt = z.iso.datetime().describe('When the event was created, not when it is sent.');

const runMembers = {
  id: eventId,
  created_at: createdAt,
  run_id: z.string(),
  kind: z.string(),
  status: z.enum(['completed', 'partial', 'failed']),
  charge_usd: z.number(),
};
const runLink = { run: z.url() };
const trackerLinks = { tracker: z.url(), changes: z.url() };

const baseUrl = 'https://api.example.com';
const head = { id: 'evt_01KB3NQ2M7R4S6T8V0W2X4Y6Z8', createdAt: Date.UTC(2026, 10, 20, 9, 30, 0, 7) };
const run: EventRun = {
  id: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R',
  kind: 'creator_videos',
  status: 'completed',
  chargeUsd: 0.25,
  trackerId: null,
};
const trackerId = 'trk_01KB2ZS8T5V7W9X1Y3Z5A7B9C1';

export const eventDetails: Readonly<Record<EventType, EventDetails>> = {
  'run.completed': {
    summary: 'A Run settled',
    body: z.strictObject({
      ...runMembers,
      type: z.literal('run.completed'),
      tracker_id: z.string().optional().describe('Present when a Tracker started the Run.'),
      links: z.strictObject({ ...runLink, tracker: z.url().optional(), changes: z.url().optional() }),
    }),
    example: runCompletedBody(head, run, baseUrl),
  },
  'tracker.changed': {
    summary: 'A Tracker wrote a Change Report',
    body: z.strictObject({
      ...runMembers,
      type: z.literal('tracker.changed'),
      tracker_id: z.string(),
      change_report_id: z.string(),
      links: z.strictObject({ ...runLink, ...trackerLinks }),
    }),
    example: trackerChangedBody(
      head,
      { ...run, kind: 'tracker_cycle', trackerId },
      'chg_01KB3NQ1A2B3C4D5E6F7G8H9J0',
      baseUrl,
    ),
  },
  'webhook.test': {
    summary: 'The test event of a registration',
    body: z.strictObject({
      id: eventId,
      type: z.literal('webhook.test'),
      created_at: createdAt,
      webhook_id: z.string(),
      links: z.strictObject({}),
    }),
    example: webhookTestBody(head, 'whe_01KB3M0V8Q6YQ2S7ZP4N1D5T9C'),
  },
};

const header = (name: string, description: string, example: string, required = true): JsonObject => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
});

const signatureText =
  '`t` in Unix seconds, and one `v1` per valid secret: two for 24 hours after a rotation. Each `v1` is the ' +
  'HMAC-SHA256 of `<t>.<raw body>` in hex, keyed with the whole secret as shown. Reject a `t` that is more than ' +
  '300 seconds from the current time.';

const standardSignatureText =
  'The signature in the Standard Webhooks format: one `v1,<base64>` per valid secret, newest first, separated by ' +
  'spaces. Each is the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the bytes that the ' +
  'part of the secret after `whsec_` decodes to. Reject a timestamp that is more than 300 seconds from the current time.';

/** The headers of Standard Webhooks, which a deployment can turn off. */
const standardHeaders: readonly JsonObject[] = [
  header('webhook-id', 'The `id` of the body: the same on every attempt and replay.', head.id, false),
  header(
    'webhook-timestamp',
    'When the attempt was made, in Unix seconds: the `t` above.',
    '1795167000',
    false,
  ),
  header('webhook-signature', standardSignatureText, `v1,${'X1'.repeat(21)}8=`, false),
];

/** The `webhooks` section of the OpenAPI 3.1 document. */
export function webhooks(): JsonObject {
  const entries = Object.entries(eventDetails).map(([type, { summary, body, example }]) => [
    type,
    {
      post: {
        operationId: type,
        tags: ['Events'],
        summary,
        security: [],
        parameters: [
          header('X-Service-Signature', signatureText, `t=1795167000,v1=${'5f'.repeat(32)}`),
          header('X-Service-Event-Id', 'The `id` of the body.', head.id),
          header('X-Service-Event-Type', 'The `type` of the body.', type),
          ...standardHeaders,
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: toJsonSchema(body, 'output'), example: JSON.parse(example) },
          },
        },
        responses: {
          '2XX': { description: 'Acknowledged. Only the status is read.' },
          default: {
            description:
              `Any other status, including redirects, or no status within ${attemptTimeout / 1000} seconds is a ` +
              `failed attempt. There are ${maxAttempts} attempts: the second 10 minutes after the first, the third ` +
              '50 minutes after the second.',
          },
        },
      },
    },
  ]);
  return Object.fromEntries(entries);
}
