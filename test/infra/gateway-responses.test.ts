import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { limits } from '#shared/contract/limits.ts';
import { isProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { gatewayResponses } from '../../lib/constructs/gateway-responses.ts';

const bodySchema = z.looseObject({
  status: z.number(),
  code: z.string().refine(isProblemCode),
  detail: z.string().optional(),
});

const responses = gatewayResponses('https://docs.example.com').map((response) => ({
  ...response,
  body: bodySchema.parse(JSON.parse(response.body)),
}));

describe('gatewayResponses()', () => {
  it('has one response for every type that API Gateway knows', () => {
    const known = Object.values(ResponseType).filter((value) => value instanceof ResponseType);

    const types = responses.map(({ type }) => type);

    expect(types.toSorted()).toEqual(known.map(({ responseType }) => responseType).toSorted());
  });

  it.each(responses)('answers $type with a problem whose status is that of the status line', (response) => {
    const { body, statusCode, headers } = response;
    const { status, title } = problemCodes[body.code];
    const isThrottled = status === 429;

    expect(String(status)).toBe(statusCode);
    expect(body).toMatchObject({
      status,
      title,
      type: `https://docs.example.com/errors/${body.code}`,
      instance: '$context.requestId',
      ...(isThrottled && { limit: limits.requestsPerMinute }),
    });
    expect(headers).toEqual({
      'Content-Type': "'application/problem+json'",
      'Cache-Control': "'no-store'",
      'X-Content-Type-Options': "'nosniff'",
      ...(status === 401 && { 'WWW-Authenticate': "'Bearer'" }),
      ...(isThrottled && { 'Retry-After': expect.stringMatching(/^'\d+'$/) }),
    });
  });

  it('says what to change in every 4xx response, without a final period and without a variable', () => {
    for (const { body } of responses) {
      if (body.status < 500) expect(body.detail).toMatch(/^[A-Z][^$]*[^.$]$/);
      else expect(body.detail).toBeUndefined();
    }
  });

  it('maps each failure of the gateway to the code that a client can act on', () => {
    expect(Object.fromEntries(responses.map(({ type, body }) => [type, body.code]))).toEqual({
      ACCESS_DENIED: 'not_found',
      API_CONFIGURATION_ERROR: 'internal_error',
      AUTHORIZER_CONFIGURATION_ERROR: 'internal_error',
      AUTHORIZER_FAILURE: 'internal_error',
      BAD_REQUEST_BODY: 'invalid_request',
      BAD_REQUEST_PARAMETERS: 'invalid_request',
      DEFAULT_4XX: 'invalid_request',
      DEFAULT_5XX: 'internal_error',
      EXPIRED_TOKEN: 'not_found',
      INTEGRATION_FAILURE: 'internal_error',
      INTEGRATION_TIMEOUT: 'internal_error',
      INVALID_API_KEY: 'not_found',
      INVALID_SIGNATURE: 'not_found',
      MISSING_AUTHENTICATION_TOKEN: 'not_found',
      QUOTA_EXCEEDED: 'rate_limit_exceeded',
      REQUEST_TOO_LARGE: 'invalid_request',
      RESOURCE_NOT_FOUND: 'not_found',
      THROTTLED: 'rate_limit_exceeded',
      UNAUTHORIZED: 'missing_authorization',
      UNSUPPORTED_MEDIA_TYPE: 'invalid_request',
      WAF_FILTERED: 'not_found',
    });
  });
});
