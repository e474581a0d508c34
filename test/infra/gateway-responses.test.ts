import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { type GatewayResponse, gatewayResponses } from '../../lib/gateway-responses.ts';

const bodySchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string().refine(isProblemCode),
  instance: z.string(),
  detail: z.string().optional(),
  limit: z.number().optional(),
});

const responses = gatewayResponses('https://docs.example.com');
const bodyOf = (response: GatewayResponse) => bodySchema.parse(JSON.parse(response.body));
const codesByType = Object.fromEntries(responses.map((response) => [response.type, bodyOf(response).code]));

describe('gatewayResponses()', () => {
  it('has one response for every type that API Gateway knows', () => {
    const known = Object.values(ResponseType).filter((value) => value instanceof ResponseType);

    const types = responses.map(({ type }) => type);

    expect(types.toSorted()).toEqual(known.map(({ responseType }) => responseType).toSorted());
  });

  it.each(responses)(
    'answers $type with a problem document whose status is that of the status line',
    (response) => {
      const body = bodyOf(response);

      expect(String(body.status)).toBe(response.statusCode);
      expect(body).toMatchObject({
        status: problemCodes[body.code].status,
        title: problemCodes[body.code].title,
        type: `https://docs.example.com/errors/${body.code}`,
        instance: '$context.requestId',
      });
      expect(response.headers).toMatchObject({
        'Content-Type': "'application/problem+json'",
        'Cache-Control': "'no-store'",
        'X-Content-Type-Options': "'nosniff'",
      });
    },
  );

  it('says what to change in every 4xx response, without a final period and without a variable', () => {
    for (const response of responses) {
      const { status, detail } = bodyOf(response);
      if (status < 500) expect(detail).toMatch(/^[A-Z][^$]*[^.$]$/);
      else expect(detail).toBeUndefined();
    }
  });

  it('maps each failure of the gateway to the code that a client can act on', () => {
    expect(codesByType).toEqual({
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

  it('names the limit and the seconds until the next request when the gateway throttles', () => {
    const throttled = responses.filter(({ statusCode }) => statusCode === '429');

    expect(throttled).toHaveLength(2);
    for (const response of throttled) {
      expect(response.headers['Retry-After']).toMatch(/^'\d+'$/);
      expect(bodyOf(response).limit).toBe(60);
    }
  });

  it('asks for a bearer credential on 401 only', () => {
    const asking = responses.filter(({ headers }) => headers['WWW-Authenticate'] === "'Bearer'");

    expect(asking.map(({ statusCode }) => statusCode)).toEqual(['401']);
  });
});
