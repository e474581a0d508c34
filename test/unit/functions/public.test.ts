import { beforeAll, describe, expect, it } from 'vitest';
import { apiEvent, setEnvironment } from '../../support/aws/aws-functions.ts';

beforeAll(() => setEnvironment());

describe('get-problem-page', () => {
  it('serves the page of a code', async () => {
    const { handler } = await import('../../../functions/api/get-problem-page/handler.ts');

    const answer = await handler(apiEvent('GET', '/docs/errors/{code}', { path: { code: 'not_found' } }));

    expect(answer).toMatchObject({
      statusCode: 200,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    });
    expect(answer.body).toContain('<code>not_found</code>, HTTP 404');
  });

  it('answers 404 for a code that does not exist', async () => {
    const { handler } = await import('../../../functions/api/get-problem-page/handler.ts');

    const answer = await handler(apiEvent('GET', '/docs/errors/{code}', { path: { code: 'toString' } }));

    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'not_found' });
  });
});

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
