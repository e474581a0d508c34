import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { ApiModel } from '../../template/api-model.ts';
import { nameForClient } from './header-rules.ts';

/** An HTTP response, ready to write. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string | readonly string[]>;
  readonly body: Buffer;
};

/** Failures that the gateway answers without a function, with API Gateway's status and message. */
const failures = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  DEFAULT_4XX: { status: 400, message: 'Bad Request' },
  DEFAULT_5XX: { status: 502, message: 'Internal server error' },
} as const;

export type GatewayFailure = keyof typeof failures;

const contextVariable = /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g;

/** Renders the response that the template defines for a failure, or API Gateway's own. */
export function gatewayResponse(api: ApiModel | undefined, failure: GatewayFailure, requestId: string): HttpResponse {
  const { status, message } = failures[failure];
  const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const defined = api?.gatewayResponses.get(failure) ?? api?.gatewayResponses.get(fallback);
  const { statusCode = status, parameters = {}, templates = {} } = defined ?? {};
  const context: Readonly<Record<string, string>> = {
    'error.messageString': JSON.stringify(message),
    'error.responseType': failure,
    requestId,
  };
  const template = templates['application/json'] ?? '{"message":$context.error.messageString}';
  const headers = new Map([['Content-Type', 'application/json']]);
  for (const [destination, source] of Object.entries(parameters)) {
    const name = /^gatewayresponse\.header\.(.+)$/.exec(destination)?.[1];
    // A literal in single quotes, or a `context.` variable.
    const value = /^'(.*)'$/.exec(source)?.[1] ?? context[source.replace(/^context\./, '')];
    if (name !== undefined && value !== undefined) headers.set(name, value);
  }
  const body = template.replace(contextVariable, (_match, name: string) => context[name] ?? '');
  return { status: statusCode, headers, body: Buffer.from(body) };
}

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const proxyResultSchema = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/**
 * Converts a handler's result to an HTTP response; `undefined` when it is not a proxy result.
 *
 * @param decodesBase64 whether a body marked as Base64 is sent as bytes, which depends on the API's binary media types
 */
export function readProxyResult(payload: unknown, decodesBase64: boolean): HttpResponse | undefined {
  const parsed = proxyResultSchema.safeParse(payload);
  if (!parsed.success) return undefined;
  const { statusCode, headers: given, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  const headers = new Map<string, string | string[]>();
  for (const [name, value] of Object.entries({ ...given, ...multiValueHeaders })) {
    const named = nameForClient(name);
    if (named !== undefined) headers.set(named, value);
  }
  const hasType = [...headers.keys()].some((name) => name.toLowerCase() === 'content-type');
  return {
    status: statusCode,
    headers: hasType ? headers : headers.set('Content-Type', 'application/json'),
    body: Buffer.from(body ?? '', isBase64Encoded === true && decodesBase64 ? 'base64' : 'utf8'),
  };
}

/** @throws TypeError when HTTP does not allow a header; nothing has been written then */
export function writeResponse(
  response: ServerResponse,
  requestId: string,
  { status, headers, body }: HttpResponse,
): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (const [name, value] of headers) response.setHeader(name, value);
  response.setHeader('x-amzn-RequestId', requestId);
  // Tells the console that the routes of `local-routes.ts` exist, without a request for them in deployed stages.
  response.setHeader('X-Local-Stack', 'true');
  if (status !== 204 && status !== 304) response.setHeader('Content-Length', body.length);
  response.writeHead(status);
  response.end(body);
}

/** Answers a request that Node could not parse, for which it offers only the socket. */
export function refuseMalformed(api: ApiModel | undefined, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = gatewayResponse(api, 'DEFAULT_4XX', randomUUID());
  const all = [...headers, ['Content-Length', String(body.length)], ['Connection', 'close']];
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body.toString()}`);
}
