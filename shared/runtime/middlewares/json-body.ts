import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { invalidRequest } from '#shared/contract/problem.ts';
import { type ApiMiddleware, headerOf } from '../api-request.ts';
import { decodeRequestBody } from '../request-body.ts';

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
    throw invalidRequest('', 'The header `Content-Type` must be `application/json`');
  }
  return decodeRequestBody(event.body, event.isBase64Encoded);
}

/** The cause has a message when the text is not JSON, and none when a member could change an object's prototype. */
const parserRefusal = z.object({
  cause: z.object({
    package: z.literal('@middy/http-json-body-parser'),
    message: z.string().optional(),
  }),
});

function textOf({ cause }: z.infer<typeof parserRefusal>): string {
  return cause.message === undefined
    ? 'The body must not have a member `__proto__`, or a `constructor` with a `prototype`'
    : 'The body must be valid JSON';
}
