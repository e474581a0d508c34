import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { verifyAccessToken } from '#shared/auth/access-token.ts';
import { createSigningKeys } from '#shared/auth/signing-keys.ts';
import { createFetchJwks } from '#shared/http/fetch-jwks.ts';
import { type IssuerOptions, type RunningIssuer, startIssuer } from '../../tools/local/parties/issuer/start-issuer.ts';
import { listenOnLoopback } from '../../tools/local/servers/loopback-server.ts';
import { audience, connectionId } from '../support/http/token-issuer.ts';
import { startOfTest } from '../support/values/builders.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const now = () => startOfTest;

async function start(options: Partial<IssuerOptions> = {}): Promise<RunningIssuer> {
  const issuer = await startIssuer({ port: 0, audience, now, ...options });
  onTestFinished(() => issuer[Symbol.asyncDispose]());
  return issuer;
}

const minted = z.object({ access_token: z.string(), expires_at: z.string() });

async function post(issuer: RunningIssuer, body: object, type = 'application/json'): Promise<Response> {
  const headers = { 'Content-Type': type };
  return await fetch(`${issuer.url}/tokens`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function mint(issuer: RunningIssuer, wish: object = {}): Promise<z.infer<typeof minted>> {
  return minted.parse(await (await post(issuer, { connection_id: connectionId, ...wish })).json());
}

/** Verifies as the service does. */
function verify(issuer: RunningIssuer, token: string): Promise<string> {
  const fetchKeySet = createFetchJwks({
    url: `${issuer.url}/.well-known/jwks.json`,
    plainOrigin: issuer.url,
  });
  const findSigningKey = createSigningKeys({ now, fetchKeySet, onFailure: () => undefined });
  return verifyAccessToken({ issuer: issuer.url, audience, now, findSigningKey })(token);
}

describe('startIssuer()', () => {
  it('mints tokens that the service accepts for an hour', async () => {
    const issuer = await start();

    const { access_token, expires_at } = await mint(issuer);

    expect(await verify(issuer, access_token)).toBe(connectionId);
    expect(expires_at).toBe('2026-11-20T13:00:00.000Z');
  });

  it.each([
    [{ expired: true }, 'The access token has expired: refresh it'],
    [
      { audience: 'https://elsewhere.example.com' },
      'The claim `aud` of the access token is missing or does not match this service',
    ],
  ])('mints bad tokens on request: %j', async (wish, detail) => {
    const issuer = await start();

    const { access_token } = await mint(issuer, wish);

    await expect(verify(issuer, access_token)).rejects.toMatchObject({ code: 'invalid_token', detail });
  });

  it('publishes no private part of its key', async () => {
    const issuer = await start();

    const published = await (await fetch(`${issuer.url}/.well-known/jwks.json`)).json();

    const [x, y, kid] = Array.from({ length: 3 }, () => expect.any(String));
    expect(published).toEqual({ keys: [{ kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' }] });
  });

  it('mints nothing for a request that a web page may send without a preflight, or for a wrong one', async () => {
    const issuer = await start();

    const answers = await Promise.all([
      post(issuer, { connection_id: connectionId }, 'text/plain'),
      post(issuer, {}),
      fetch(`${issuer.url}/tokens`),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 404]);
  });

  it('has a new key in every run', async () => {
    const [one, other] = [await start(), await start()];

    const { access_token } = await mint(one);

    await expect(verify(other, access_token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('keeps key and address with the data, readable by its owner only, and takes another port when it must', async () => {
    const dataFile = join(await temporaryFolder(), 'issuer.json');
    const first = await start({ dataFile });
    const { access_token } = await mint(first);
    await first[Symbol.asyncDispose]();

    const second = await start({ dataFile });
    expect(second.url).toBe(first.url);
    expect(await verify(second, access_token)).toBe(connectionId);
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
    await second[Symbol.asyncDispose]();
    const blocker = await listenOnLoopback(createServer(), Number(new URL(first.url).port));
    onTestFinished(() => blocker.close());

    const third = await start({ dataFile });
    const { port } = new URL(third.url);
    expect(third.url).not.toBe(first.url);
    expect(await verify(third, (await mint(third)).access_token)).toBe(connectionId);
    expect(JSON.parse(await readFile(dataFile, 'utf8'))).toMatchObject({ port: Number(port) });
  });
});
