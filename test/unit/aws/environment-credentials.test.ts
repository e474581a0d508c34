import { expect, it, vi } from 'vitest';
import { defaultProvider } from '#shared/aws/environment-credentials.ts';

it('the credentials of a function are those of its environment, which is read once, because reading it takes long', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  const provide = defaultProvider();

  const first = await provide();
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);

  expect(first).toMatchObject({ accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'session' });
  expect(await provide()).toBe(first);
});
