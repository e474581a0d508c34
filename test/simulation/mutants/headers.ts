import type { Headers, PostEvent } from '#shared/operations/ports.ts';
import type { PortPatch } from '../world/ports.ts';
import { mutants, remembering } from './mutant.ts';

type Request = Parameters<PostEvent>[0];

/** Changes the headers of every POST. */
function withHeaders(change: (headers: Headers, request: Request) => Headers): PortPatch {
  return ({ postEvent }) => ({
    postEvent: (request) =>
      postEvent({
        ...request,
        headers: async () => {
          const headers = await request.headers();
          return typeof headers === 'string' ? headers : { ...headers, ...change(headers, request) };
        },
      }),
  });
}

/** Mistakes in the headers of Standard Webhooks. */
export const headerMutants = mutants({
  everyPostNamesItsEventInBothFormats: {
    'webhook-id that names the endpoint': withHeaders((_headers, { webhookId }) => ({
      'webhook-id': webhookId,
    })),
    'webhook-id of each attempt': remembering(() => {
      let attempts = 0;
      return withHeaders((headers) => {
        attempts += 1;
        return { 'webhook-id': `${headers['webhook-id']}_${attempts}` };
      });
    }),
  },
  everyPostHasAFreshSignature: {
    'webhook-timestamp of the first attempt': remembering(() => {
      const first = new Map<string, string>();
      return withHeaders((headers) => {
        const eventId = headers['webhook-id'] ?? '';
        const timestamp = first.get(eventId) ?? headers['webhook-timestamp'] ?? '';
        first.set(eventId, timestamp);
        return { 'webhook-timestamp': timestamp };
      });
    }),
  },
  aPostIsSignedWithTheValidSecrets: {
    'webhook-signature with the new secret only': withHeaders((headers) => ({
      'webhook-signature': headers['webhook-signature']?.split(' ')[0] ?? '',
    })),
  },
});
