import type { PostResult } from '#shared/domain/attempt.ts';
import type { Headers, PostEvent, Posted } from '#shared/operations/ports.ts';

/** A request as a receiver sees it. */
export type SentRequest = {
  readonly webhookId: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
};

/** Posts a request that nothing can withdraw. */
export type Post = (request: SentRequest) => Promise<Posted>;

/**
 * A POST that reaches a receiver at once, unless it is withdrawn before it is sent.
 * @param connecting what happens before the headers are asked for
 */
export function postTo(
  receive: (request: SentRequest, onSlow: () => void) => PostResult | Promise<PostResult>,
  connecting: () => void = () => {},
): PostEvent {
  return async ({ webhookId, url, mayConnect, headers, body, onSlow = () => {} }) => {
    const withdrawal = (await mayConnect?.()) ?? null;
    if (withdrawal !== null) return withdrawal;
    connecting();
    const given = await headers();
    if (typeof given === 'string') return given;
    const result = await receive({ webhookId, url, headers: given, body }, onSlow);
    return { ...result, ended: Promise.resolve(result.durationMs) };
  };
}

export function withFixedHeaders(postEvent: PostEvent): Post {
  return async ({ headers, ...request }) => {
    const result = await postEvent({ ...request, headers: async () => headers });
    if (typeof result === 'string') throw new Error(`The request was withdrawn: ${result}`);
    return result;
  };
}
