import { type Problem, problem } from '#shared/contract/problem.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';

/**
 * A record that was read by customer and id together, so that a missing record and another customer's look the same.
 *
 * @throws Problem `not_found` for `null`
 */
export function found<T>(record: T | null): T {
  if (record === null) throw problem('not_found');
  return record;
}

/** The endpoint of an operation that needs an active one. @throws Problem `not_found`, `webhook_not_active` */
export function activeEndpoint(read: Endpoint | null): Endpoint {
  const endpoint = found(read);
  if (endpoint.status !== 'active') throw notActive(endpoint);
  return endpoint;
}

/** The refusal of an operation that needs an active endpoint, with the way to get one. */
export function notActive({ id, status }: Pick<Endpoint, 'id' | 'status'>): Problem {
  if (status !== 'failed') return problem('webhook_not_active');
  return problem('webhook_not_active', {
    detail:
      'The handshake of this endpoint failed, or is under way in the first 30 seconds after its registration. If the ' +
      'endpoint is still `failed` then, it will never become active: answer `webhook.test` with 2xx without verifying ' +
      `it, free the slot with \`DELETE /v1/webhooks/${id}\`, then register the URL again`,
  });
}
