import type { ProblemDefinition, ProblemTexts } from './problem-entry.ts';

/** The codes of what an endpoint does not allow now. */
export const endpointProblems = {
  webhook_limit_exceeded: {
    status: 409,
    title: 'Webhook limit is reached',
    remedy:
      'Delete an endpoint, then register again. Endpoints whose status is `failed` receive nothing and hold a slot until you delete them.',
  },
  webhook_rotation_in_progress: {
    status: 409,
    title: 'Rotation is in progress',
    remedy: 'Wait until `overlap_expires_at`, then rotate again.',
  },
  webhook_not_active: {
    status: 409,
    title: 'Webhook is not active',
    remedy: 'Register the URL again, and delete this endpoint if its status is `failed`: it holds a slot.',
  },
  delivery_in_progress: {
    status: 409,
    title: 'Delivery is in progress',
    remedy:
      'Wait until the status of the delivery is `delivered` or `failed`, then replay it. `next_attempt_at` says when it is attempted next.',
  },
  replay_in_progress: {
    status: 409,
    title: 'Bulk replay is in progress',
    remedy: 'Wait until the bulk replay in `replay_id` has ended, or cancel it, then start another one.',
  },
} as const satisfies Record<string, ProblemDefinition>;

/** What else their pages say. No bundle of a function has it. */
export const endpointTexts: ProblemTexts<keyof typeof endpointProblems> = {
  webhook_limit_exceeded: {
    meaning: 'The customer already has five endpoints. Failed endpoints count.',
    retry: 'No. Waiting does not free a slot.',
    fix: 'List the endpoints with `GET /v1/webhooks`, and delete one that you do not need with `DELETE /v1/webhooks/{id}`.',
    see: ['troubleshooting'],
    example: { limit: 5 },
  },
  webhook_rotation_in_progress: {
    meaning: 'The overlap of the previous rotation is still open: both secrets are valid until `overlap_expires_at`.',
    retry: 'Yes, after the time in `overlap_expires_at`.',
    fix: 'If you lost the secret of the last rotation, register the URL again, let your receiver accept the new secret, then delete this endpoint: so no event is lost.',
    see: ['receive-and-verify'],
    example: {
      overlap_expires_at: '2026-11-21T10:00:00.000Z',
    },
  },
  webhook_not_active: {
    meaning: 'The operation needs an active endpoint. This endpoint failed its handshake or was deleted.',
    retry: 'No. A failed or deleted endpoint never becomes active.',
    fix: 'Read the endpoint with `GET /v1/webhooks/{id}`. If its status is `failed`, its handshake was not answered with 2xx: the `webhook.test` event comes before you know the signing secret, so answer it with 2xx without verifying it. The attempt log of the test delivery shows the reason: fix the receiver before you register the URL. Later, you can test an active endpoint at any time: replay its `webhook.test` delivery. To send the events of a deleted or failed endpoint to another one, start a bulk replay there with `source_webhook_id`.',
    see: ['first-event', 'troubleshooting'],
  },
  delivery_in_progress: {
    meaning: 'The service is still attempting the delivery, so it cannot be replayed yet.',
    retry: 'Yes, once the status of the delivery is `delivered` or `failed`.',
    fix: 'Three failed attempts take about one hour. The service goes on by itself: you need a replay only after the delivery has failed.',
    see: ['retries-and-replay'],
  },
  replay_in_progress: {
    meaning: 'A bulk replay of this endpoint is running. An endpoint has one at a time; `replay_id` names it.',
    retry: 'Yes, once the status of the running bulk replay is `completed` or `cancelled`.',
    fix: 'Read it with `GET /v1/webhooks/{id}/replays/{replayId}`. The next one leaves out events whose replay was delivered or is pending, so the time ranges may overlap.',
    see: ['retries-and-replay'],
    example: { replay_id: 'rpl_01KB3NPX5G7H9J1K3M5N7P9Q1R' },
  },
};
