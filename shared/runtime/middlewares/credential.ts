import type { Principal } from '#shared/auth/authenticate.ts';
import { type ApiMiddleware, type AuthenticatedEvent, headerOf } from '../api-request.ts';

/** Authenticates the caller. @throws Problem 401 or 403 */
export function credential(
  authenticate: (authorization: string | undefined) => Promise<Principal>,
): ApiMiddleware<AuthenticatedEvent> {
  return {
    before: async (request) => {
      const principal = await authenticate(headerOf(request.event, 'authorization'));
      request.event = { ...request.event, principal };
    },
  };
}
