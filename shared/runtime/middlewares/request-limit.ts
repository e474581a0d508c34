import type { Admitted } from '#shared/auth/rate-limit.ts';
import { problem } from '#shared/contract/problem.ts';
import { rateLimit } from '#shared/domain/rate-window.ts';
import type { ApiMiddleware, AuthenticatedEvent } from '../api-request.ts';

type LimitMiddleware = ApiMiddleware<AuthenticatedEvent, { limitHeaders?: Admitted['headers'] }>;

/**
 * Counts the request against the limit of its credential. Every later response, including failures, carries the headers
 * of the limit.
 *
 * @throws Problem `rate_limit_exceeded`
 */
export function requestLimit(limitRequests: (credentialId: string) => Promise<Admitted>): LimitMiddleware {
  return {
    before: async ({ event, internal }) => {
      const { admitted, headers, retryAfter } = await limitRequests(event.principal.credentialId);
      internal.limitHeaders = headers;
      if (!admitted) throw problem('rate_limit_exceeded', { limit: rateLimit, retryAfter });
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

const addHeaders: NonNullable<LimitMiddleware['after']> = ({ response, internal }) => {
  if (response) response.headers = { ...response.headers, ...internal.limitHeaders };
};
