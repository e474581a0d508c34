import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { limits } from '#shared/contract/limits.ts';
import { invalidRequest } from '#shared/contract/problem.ts';
import type { ApiMiddleware } from '../api-request.ts';
import { jsonDepth } from '../json-depth.ts';
import { headerOf } from '../proxy-event.ts';

/**
 * Replaces the body of the event with its parsed value, `null` when there is none.
 *
 * @throws Problem `invalid_request`
 */
export function jsonBody() {
  return [decodedBody, jsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true })];
}

/** Passes only text that is safe to parse to the parser, and explains its refusals. */
const decodedBody: ApiMiddleware = {
  before: (request) => {
    const { event } = request;
    request.event = { ...event, body: readText(event), isBase64Encoded: false };
  },
  onError: (request) => {
    const refusal = parserRefusal.safeParse(request.error).data;
    if (refusal !== undefined) request.error = invalidRequest('', textOf(refusal));
  },
};

const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;.*)?$/i;

function readText(event: APIGatewayProxyEvent): string | null {
  if (!event.body) return null;
  if (!jsonType.test(headerOf(event, 'content-type') ?? '')) {
    throw invalidRequest('Content-Type', 'The header `Content-Type` must be `application/json`');
  }
  return decodeRequestBody(event.body, event.isBase64Encoded);
}

/**
 * Turns a request body into text that is safe to parse: at most 64 KiB of valid UTF-8 without a byte-order mark and
 * without deep nesting.
 *
 * @throws Problem `invalid_request`
 */
export function decodeRequestBody(body: string, isBase64Encoded: boolean): string {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limits.requestBodyBytes) {
    throw invalidRequest('', `The body must have at most ${limits.requestBodyBytes} bytes`);
  }
  const text = decodeUtf8(bytes);
  if (jsonDepth(text) > limits.requestBodyDepth) {
    throw invalidRequest('', `The body must be nested at most ${limits.requestBodyDepth} levels deep`);
  }
  return text;
}

function decodeUtf8(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw invalidRequest('', 'The body must not begin with a byte-order mark');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('', 'The body must be UTF-8 text, not compressed');
  }
}

/** The cause has a message when the text is not JSON, and none when a member could change an object's prototype. */
const parserRefusal = z.object({
  cause: z.object({
    package: z.literal('@middy/http-json-body-parser'),
    message: z.optional(z.string()),
  }),
});

function textOf({ cause }: z.infer<typeof parserRefusal>): string {
  return cause.message === undefined
    ? 'The body must not have a member `__proto__`, or a `constructor` with a `prototype`'
    : 'The body must be valid JSON';
}
