import type { Admitted } from '#shared/auth/rate-limit.ts';
import { problem } from '#shared/contract/problem.ts';
import { rateLimit } from '#shared/domain/rate-window.ts';
import type { ApiMiddleware, CountedEvent } from '../api-request.ts';

type LimitMiddleware = ApiMiddleware<CountedEvent, { limitHeaders?: Admitted['headers'] }>;

/**
 * Counts the request against the limit of its credential, and lets the operation count more. Every later response,
 * including failures, carries the headers of the limit.
 *
 * @throws Problem `rate_limit_exceeded`
 */
export function requestLimit(limitRequests: (credentialId: string) => Promise<Admitted>): LimitMiddleware {
  return {
    before: async (request) => {
      const { event, internal } = request;
      const count = async () => {
        const counted = await limitRequests(event.principal.credentialId);
        internal.limitHeaders = counted.headers;
        return counted;
      };
      const payRequest = async () => {
        const { admitted, retryAfter } = await count();
        if (!admitted) throw problem('rate_limit_exceeded', { limit: rateLimit, retryAfter });
      };
      await payRequest();
      request.event = { ...event, payRequest, countRequest: async () => (await count()).admitted };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

const addHeaders: NonNullable<LimitMiddleware['after']> = ({ response, internal }) => {
  if (response) response.headers = { ...response.headers, ...internal.limitHeaders };
};
