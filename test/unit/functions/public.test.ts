import { beforeAll, describe, expect, it } from 'vitest';
import { apiEvent, setEnvironment } from '../../support/aws/aws-functions.ts';

beforeAll(() => setEnvironment());

describe('not-found', () => {
  it('answers a problem document without reading a credential', async () => {
    const { handler } = await import('../../../functions/api/not-found/handler.ts');

    const answer = await handler(apiEvent('PATCH', '/{proxy+}', { path: { proxy: 'v2/webhooks' } }));

    expect(answer).toMatchObject({
      statusCode: 404,
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      type: 'https://docs.example.com/errors/not_found',
      status: 404,
      code: 'not_found',
      instance: 'request-1',
    });
  });
});
