import { expect, it, vi } from 'vitest';
import { connectApi, resultOf } from '../../../console/api/client.ts';

it('a request carries the credential in its header, and neither sends nor takes cookies of the origin', async () => {
  const sent: Request[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(request);
    return Response.json({ items: [], next_cursor: null });
  });

  await resultOf(connectApi('https://api.example.com/prod', 'key_1', () => {}).GET('/v1/webhooks'));

  expect(sent).toMatchObject([
    { url: 'https://api.example.com/prod/v1/webhooks', credentials: 'omit', cache: 'no-store' },
  ]);
  expect(sent[0]?.headers.get('Authorization')).toBe('Bearer key_1');
});

it('a response without a body is no failure, and a refusal without one is', async () => {
  const read = (status: number) => {
    vi.stubGlobal('fetch', async () => new Response(null, { status }));
    const api = connectApi('https://api.example.com', 'key_1', () => {});
    return resultOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: 'whe_1' } } }));
  };

  expect(await read(204)).toBeUndefined();
  await expect(read(503)).rejects.toThrow('The API answered with status 503');
});
