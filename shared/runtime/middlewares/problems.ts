import type { ApiMiddleware } from '../api-request.ts';
import { failureResponse } from '../responses.ts';

/** Turns any thrown value into a problem document. */
export function problems(docsUrl: string): ApiMiddleware {
  return {
    onError: (request) => {
      const { requestId } = request.event.requestContext;
      request.response = failureResponse(request.error, docsUrl, requestId);
    },
  };
}
