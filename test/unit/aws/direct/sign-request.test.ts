import { describe, expect, it } from 'vitest';
import { createSignRequest } from '#shared/aws/direct/sign-request.ts';
import { testHost } from '../../../support/aws/test-host.ts';

/** From the Signature Version 4 test suite of AWS: each POST with its signature. */
const examples = [
  {
    name: 'post-vanilla',
    headers: {},
    body: '',
    signedHeaders: 'host;x-amz-date',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-header-key-case',
    headers: { 'My-Header1': 'value1' },
    body: '',
    signedHeaders: 'host;my-header1;x-amz-date',
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  {
    name: 'post-x-www-form-urlencoded',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'Param1=value1',
    signedHeaders: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
];

const variables = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const host = testHost('', { variables });
const url = new URL('https://example.amazonaws.com/');
const at = new Date('2015-08-30T12:36:00Z');

describe('createSignRequest()', () => {
  it.each(examples)(
    'signs $name as AWS publishes it',
    async ({ headers, body, signedHeaders, signature }) => {
      const signed = await createSignRequest('service', host)({ url, headers, body }, at);

      expect(signed).toEqual({
        host: 'example.amazonaws.com',
        ...headers,
        'x-amz-date': '20150830T123600Z',
        authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
      });
    },
  );

  it('signs with the session token, and with the credentials of the moment', async () => {
    let token = 'first';
    const changing = {
      ...host,
      environment: () => ({ ...host.environment(), AWS_SESSION_TOKEN: token }),
    };
    const sign = createSignRequest('service', changing);
    const request = { url, headers: {}, body: '' };

    const first = await sign(request, at);
    token = 'second';
    const second = await sign(request, at);

    expect(first).toMatchObject({
      'x-amz-security-token': 'first',
      authorization: expect.stringContaining('SignedHeaders=host;x-amz-date;x-amz-security-token,'),
    });
    expect(second['x-amz-security-token']).toBe('second');
    expect(second.authorization).not.toBe(first.authorization);
  });

  it.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION'])(
    'says that %s is not set',
    async (name) => {
      const without = testHost('', { variables: { [name]: undefined } });

      const signed = createSignRequest('service', without)({ url, headers: {}, body: '' }, at);

      await expect(signed).rejects.toThrow(`Cannot call AWS: ${name} is not set`);
    },
  );
});
