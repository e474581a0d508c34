import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { verifyAccessToken } from '#shared/auth/access-token.ts';
import { createSigningKeys } from '#shared/auth/signing-keys.ts';
import { createFetchJwks } from '#shared/http/fetch-jwks.ts';
import {
  type IssuerOptions,
  type RunningIssuer,
  startIssuer,
} from '../../local/parties/issuer/start-issuer.ts';
import { listenOnLoopback } from '../../local/servers/loopback-server.ts';
import { audience, connectionId } from '../support/http/token-issuer.ts';

let parts: AsyncDisposableStack;
let dir: string;

beforeEach(async () => {
  parts = new AsyncDisposableStack();
  dir = await mkdtemp(join(tmpdir(), 'issuer-'));
});
afterEach(async () => {
  await parts.disposeAsync();
  await rm(dir, { recursive: true, force: true });
});

async function start(options: Partial<IssuerOptions> = {}): Promise<RunningIssuer> {
  return parts.use(await startIssuer({ port: 0, audience, now: Date.now, ...options }));
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
  const findSigningKey = createSigningKeys({ now: Date.now, fetchKeySet, onFailure: () => undefined });
  return verifyAccessToken({ issuer: issuer.url, audience, now: Date.now, findSigningKey })(token);
}

describe('startIssuer()', () => {
  it('mints tokens that the service accepts for an hour', async () => {
    const issuer = await start();

    const { access_token, expires_at } = await mint(issuer);

    expect(await verify(issuer, access_token)).toBe(connectionId);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(3_500_000);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
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

    expect(published).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.any(String),
          y: expect.any(String),
          kid: expect.any(String),
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
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

  it('keeps key and address with the data, readable by its owner only', async () => {
    const dataFile = join(dir, 'issuer.json');
    const first = await start({ dataFile });
    const { access_token } = await mint(first);
    await first[Symbol.asyncDispose]();

    const second = await start({ dataFile });

    expect(second.url).toBe(first.url);
    expect(await verify(second, access_token)).toBe(connectionId);
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
  });

  it('takes another port when the kept one is taken', async () => {
    const dataFile = join(dir, 'issuer.json');
    const first = await start({ dataFile });
    await first[Symbol.asyncDispose]();
    const blocker = await listenOnLoopback(createServer(), Number(new URL(first.url).port));
    parts.defer(() => blocker.close());

    const second = await start({ dataFile });

    expect(second.url).not.toBe(first.url);
    expect(await verify(second, (await mint(second)).access_token)).toBe(connectionId);
    expect(JSON.parse(await readFile(dataFile, 'utf8'))).toMatchObject({
      port: Number(new URL(second.url).port),
    });
  });
});
