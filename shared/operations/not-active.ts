import { type Problem, problem } from '#shared/contract/problem.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';

/** The refusal of an operation that needs an active endpoint, with the way to get one. */
export function notActive({ id, status }: Pick<Endpoint, 'id' | 'status'>): Problem {
  if (status !== 'failed') return problem('webhook_not_active');
  return problem('webhook_not_active', {
    detail:
      'The handshake of this endpoint failed, and it will never become active: answer `webhook.test` with 2xx without ' +
      `verifying it, free the slot with \`DELETE /v1/webhooks/${id}\`, then register the URL again`,
  });
}
