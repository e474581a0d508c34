import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../packages/api-client/schema.ts';
import { isWorthAnotherTry, sendOnce } from '../../packages/api-client/send-once.ts';
import { type Failure, isRefused, problemFailure, RequestFailed } from './failure.ts';
import { RefreshBudget } from './request-limit.ts';

/** The API with one credential. */
export type Api = Client<paths> & {
  /** What the refreshing parts of a page share. */
  readonly refreshes: RefreshBudget;
  /** Whether the local stack answers, which says so in each response. */
  readonly isLocal: () => boolean;
  /** Ends the wait for the next attempt of a delivery. Only the local stack can. */
  readonly attemptNow: (deliveryId: string) => Promise<ApiResponse<null>>;
  /** Whether a change was asked for whose response is not here. @param path of its operation */
  readonly isUnanswered: (path: string) => boolean;
};

/** Keys of changes whose response is not here, by what they ask for. */
type Unanswered = Map<string, string>;

/** The base address of the API that serves this page: below the same stage prefix or domain. */
export function apiAddress(page: { readonly origin: string; readonly pathname: string }): string {
  return new URL('.', `${page.origin}${page.pathname}`).href.replace(/\/$/, '');
}

/**
 * @param onRefused called when the API no longer accepts the credential
 * @param unanswered outlives the session: what the reader repeats after another sign-in is done once, too
 */
export function connectApi(
  address: string,
  credential: string,
  onRefused: (failure: Failure) => void,
  unanswered: Unanswered = new Map(),
): Api {
  const client = createClient<paths>({
    baseUrl: address,
    credentials: 'omit',
    cache: 'no-store',
    fetch: (request) => sendNoted(request, unanswered),
  });
  const refreshes = new RefreshBudget();
  let isLocal = false;
  client.use({
    onRequest: ({ request }) => {
      request.headers.set('Authorization', `Bearer ${credential}`);
      return request;
    },
    onResponse: async ({ response }) => {
      refreshes.learn(response.headers.get('RateLimit'));
      isLocal = response.headers.has('X-Local-Stack');
      if (response.ok) return;
      const failure = problemFailure(response, await bodyOf(response.clone()));
      if (isRefused(failure)) onRefused(failure);
    },
  });
  const attemptNow = async (deliveryId: string) => {
    const response = await fetch(`${address}/local/deliveries/${deliveryId}/attempt`, { method: 'POST' });
    return response.ok ? { data: null, response } : { error: await bodyOf(response), response };
  };
  const isUnanswered = (path: string) => [...unanswered.keys()].some((asked) => asked.startsWith(`${address}${path} `));
  return Object.assign(client, { refreshes, isLocal: () => isLocal, attemptNow, isUnanswered });
}

/** A change is done once: a response that was lost comes when the reader repeats it, with the same key. */
async function sendNoted(request: Request, unanswered: Unanswered): Promise<Response> {
  // A plan changes nothing, and the answer to an earlier one is no longer right.
  const isChange = request.method === 'POST' && !request.url.endsWith('/plan');
  const asked = `${request.url} ${isChange ? await request.clone().text() : ''}`;
  if (isChange) {
    const key = unanswered.get(asked) ?? crypto.randomUUID();
    unanswered.set(asked, key);
    request.headers.set('Idempotency-Key', key);
  }
  const response = await sendOnce(request);
  if (!isWorthAnotherTry(response)) unanswered.delete(asked);
  // The same request then asks for another endpoint.
  if (request.method === 'DELETE' && (response.ok || response.status === 404)) unanswered.clear();
  return response;
}

async function bodyOf(response: Response): Promise<unknown> {
  return await response.json().catch(() => null);
}

export type ApiResponse<T> =
  | { readonly data: T; readonly response: Response }
  | { readonly error: unknown; readonly response: Response };

/**
 * The result of a request; `undefined` for a response without a body.
 *
 * @throws RequestFailed when there is none
 */
export async function resultOf<T>(request: Promise<ApiResponse<T>>): Promise<T> {
  const result = await request.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new RequestFailed({ kind: 'offline' });
  });
  if ('error' in result) throw new RequestFailed(problemFailure(result.response, result.error));
  return result.data;
}
