import { z } from 'zod';
import { nameForClient } from './header-rules.ts';

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const proxyResultSchema = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** An HTTP response, ready to write. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string | readonly string[]>;
  readonly body: Buffer;
};

/**
 * Converts a handler's result to an HTTP response; `undefined` when it is not a proxy result.
 *
 * @param decodesBase64 whether a body marked as Base64 is sent as bytes, which depends on the API's binary media types
 */
export function readProxyResult(payload: unknown, decodesBase64: boolean): HttpResponse | undefined {
  const parsed = proxyResultSchema.safeParse(payload);
  if (!parsed.success) return undefined;
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  return {
    status: statusCode,
    headers: responseHeaders({ ...headers, ...multiValueHeaders }),
    body: Buffer.from(body ?? '', isBase64Encoded === true && decodesBase64 ? 'base64' : 'utf8'),
  };
}

function responseHeaders(
  given: Readonly<Record<string, string | string[]>>,
): Map<string, string | readonly string[]> {
  const kept = Object.entries(given).flatMap(([name, value]): [string, string | string[]][] => {
    const named = nameForClient(name);
    return named === undefined ? [] : [[named, value]];
  });
  const headers = new Map<string, string | readonly string[]>(kept);
  const hasType = kept.some(([name]) => name.toLowerCase() === 'content-type');
  return hasType ? headers : headers.set('Content-Type', 'application/json');
}
