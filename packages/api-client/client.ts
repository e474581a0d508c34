import createClient, { type Client } from 'openapi-fetch';
import { z } from 'zod';
import type { components, paths } from './schema.ts';
import { sendOnce } from './send-once.ts';

/** The HTTP API, typed by its OpenAPI description. */
export type ApiClient = Client<paths>;

/** The records of the API. */
export type Schemas = components['schemas'];

export type ApiAccess = {
  /** Address of the API without a trailing slash. */
  readonly url: string;
  /** API key, access token or token of a portal link. */
  readonly credential: string;
};

/** The API refused a request; the message is for a person. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** Code of the problem document; empty when the response is none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Milliseconds. API Gateway responds within 29 seconds. */
const timeoutMs = 35_000;

/** Every request throws Error with the address when nothing responds there, or something else than the API. */
export function connectApi({ url, credential }: ApiAccess): ApiClient {
  return createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${credential}` },
    // The credential belongs to this address only.
    redirect: 'manual',
    fetch: async (request) => {
      const send = (each: Request) =>
        fetch(each, { signal: AbortSignal.any([each.signal, AbortSignal.timeout(timeoutMs)]) });
      const response = await sendOnce(request, { send }).catch((cause: unknown) => {
        throw new Error(`The API at ${url} does not respond (${reasonOf(cause)})`, { cause });
      });
      assertJson(response, url);
      return response;
    },
  });
}

/** Other programs, such as a web server at a wrong address, also answer with 200. */
function assertJson({ ok, body, headers }: Response, url: string): void {
  const type = headers.get('content-type') ?? 'no content type';
  if (!ok || body === null || type.startsWith('application/json')) return;
  throw new Error(`${url} answered with ${type} instead of application/json: is it the address of the API?`);
}

type ApiResponse<T> = { readonly data?: T; readonly error?: unknown; readonly response: Response };

/**
 * The body of a response.
 *
 * @throws ApiProblem when the API refused the request
 */
export async function resultOf<T>(request: Promise<ApiResponse<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await request;
  if (data !== undefined && data !== null) return data;
  throw problemOf(response, error);
}

/**
 * Waits for a response without a body.
 *
 * @throws ApiProblem when the API refused the request
 */
export async function done(request: Promise<ApiResponse<unknown>>): Promise<void> {
  const { error, response } = await request;
  if (!response.ok) throw problemOf(response, error);
}

const problemSchema = z.object({
  title: z.string(),
  code: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ detail: z.string() })).default([]),
});

function problemOf({ status, url }: Response, body: unknown): ApiProblem {
  const { data } = problemSchema.safeParse(body);
  if (data === undefined) {
    const { origin } = new URL(url);
    return new ApiProblem(status, '', `${origin} answered with status ${status}: is it the address of the API?`);
  }
  const { title, code, detail, errors } = data;
  const reasons = errors.length > 0 ? errors.map((error) => error.detail) : [detail ?? title];
  return new ApiProblem(status, code, `${reasons.join('; ')} (${status} ${code})`);
}

/** Fetch gives the reason as the cause. */
function reasonOf(failure: unknown): string {
  const { cause = failure } = failure instanceof Error ? failure : {};
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}
