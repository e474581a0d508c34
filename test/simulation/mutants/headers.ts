import type { Headers, PostEvent } from '#shared/operations/ports.ts';
import { type Mutant, patched } from './mutant.ts';

type Request = Parameters<PostEvent>[0];

/** A mistake in the headers of every POST. */
function withHeaders(
  name: string,
  breaks: string,
  mistake: () => (headers: Headers, request: Request) => Headers,
): Mutant {
  return patched(name, breaks, () => {
    const change = mistake();
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
  });
}

/** Mistakes in the headers of Standard Webhooks. */
export const headerMutants: readonly Mutant[] = [
  withHeaders(
    'webhook-id that names the endpoint',
    'everyPostNamesItsEventInBothFormats',
    () =>
      (_headers, { webhookId }) => ({ 'webhook-id': webhookId }),
  ),
  withHeaders('webhook-id of each attempt', 'everyPostNamesItsEventInBothFormats', () => {
    let attempts = 0;
    return (headers) => {
      attempts += 1;
      return { 'webhook-id': `${headers['webhook-id']}_${attempts}` };
    };
  }),
  withHeaders('webhook-timestamp of the first attempt', 'everyPostHasAFreshSignature', () => {
    const first = new Map<string, string>();
    return (headers) => {
      const eventId = headers['webhook-id'] ?? '';
      const timestamp = first.get(eventId) ?? headers['webhook-timestamp'] ?? '';
      first.set(eventId, timestamp);
      return { 'webhook-timestamp': timestamp };
    };
  }),
  withHeaders(
    'webhook-signature with the new secret only',
    'aPostIsSignedWithTheValidSecrets',
    () => (headers) => ({ 'webhook-signature': headers['webhook-signature']?.split(' ')[0] ?? '' }),
  ),
];
