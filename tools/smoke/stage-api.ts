import * as z from 'zod';

export type ApiAnswer = { readonly status: number; readonly text: string };

/** The HTTP API of the stage, as a customer uses it. */
export type StageApi = {
  readonly send: (method: string, path: string, key: string, body?: object) => Promise<ApiAnswer>;
};

/** API Gateway answers within 29 seconds. */
const patienceMs = 35_000;

/** @param url without a trailing slash */
export function connectApi(url: string): StageApi {
  return {
    send: async (method, path, key, body) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      }).catch((error: unknown) => {
        throw new Error(`${method} ${url}${path} got no answer: ${reasonOf(error)}`, { cause: error });
      });
      return { status: response.status, text: await response.text() };
    },
  };
}

/** @throws Error with the answer when its status or its shape is another */
export function readAnswer<S extends z.ZodType>(
  request: string,
  answer: ApiAnswer,
  status: number,
  schema: S,
): z.output<S> {
  if (answer.status !== status) {
    throw new Error(`${request} answered ${answer.status}, expected ${status}: ${answer.text.slice(0, 300)}`);
  }
  const parsed = schema.safeParse(JSON.parse(answer.text));
  if (parsed.success) return parsed.data;
  throw new Error(`${request} answered an unexpected body: ${z.prettifyError(parsed.error)}`);
}

/** Fetch reports the reason as the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
