import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { z } from 'zod';
import { messageOf } from '../../../operator/cli/run-program.ts';
import { listenOnLoopback, readBody, sendJson } from '../../servers/loopback-server.ts';
import { keep, readKept } from '../../stack/kept-file.ts';

export type IssuerOptions = {
  /** 0 picks a free port. The port of a kept key takes precedence. */
  readonly port: number;
  /** Default audience of tokens. */
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** File that keeps key and port after the process ends, mode 0600. Default: both are new in every run. */
  readonly dataFile?: string | undefined;
};

export type RunningIssuer = AsyncDisposable & {
  /** Origin of the issuer, and the `iss` claim of its tokens. */
  readonly url: string;
};

const lifetimeSeconds = 3600;
const maxBodyBytes = 16 * 1024;

const mintRequest = z.object({
  connection_id: z.string(),
  audience: z.string().optional(),
  expired: z.boolean().default(false),
});

const algorithm = 'ES256';

/** The stored form of the private key. */
const privateKeySchema = z.object({
  kty: z.literal('EC'),
  crv: z.string(),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

type PrivateKey = z.infer<typeof privateKeySchema>;
type Minter = IssuerOptions & { readonly url: string; readonly key: Awaited<ReturnType<typeof openKey>> };

/** Tokens name the issuer with its port, so a kept key works on its port only. */
const keptSchema = z.object({ port: z.number(), key: privateKeySchema });

/**
 * Starts an issuer of access tokens. `GET /.well-known/jwks.json` publishes its key. `POST /tokens` with `{
 * connection_id, audience?, expired? }` mints a token for any program on this machine.
 *
 * @throws Error when the port is in use or the data file is invalid
 */
export async function startIssuer(options: IssuerOptions): Promise<RunningIssuer> {
  const { dataFile } = options;
  const kept = await readKept(dataFile, keptSchema);
  const privateKey = kept?.key ?? (await makePrivateKey());
  const key = await openKey(privateKey);
  const server = createServer((request, response) => {
    void respond({ ...options, url: listener.url, key }, request, response);
  });
  const listener = await listenOnLoopback(server, kept?.port ?? options.port).catch((error: unknown) => {
    if (kept === undefined) throw error;
    return listenOnLoopback(server, options.port);
  });
  await keep(dataFile, { port: listener.port, key: privateKey });
  return { url: listener.url, [Symbol.asyncDispose]: () => listener.close() };
}

async function respond(minter: Minter, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`;
  try {
    if (route === 'GET /.well-known/jwks.json') return sendJson(response, 200, { keys: [minter.key.publicKey] });
    if (route === 'POST /tokens') return sendJson(response, 200, await mint(minter, request));
    sendJson(response, 404, { error: 'Not found: use GET /.well-known/jwks.json or POST /tokens' });
  } catch (error) {
    sendJson(response, 400, { error: messageOf(error) });
  }
}

/** Accepts JSON only: a web page of another origin cannot send it without a preflight request. */
async function mint(minter: Minter, request: IncomingMessage) {
  if (request.headers['content-type'] !== 'application/json')
    throw new Error('Expected a body of type application/json');
  const wanted = mintRequest.parse(JSON.parse((await readBody(request, maxBodyBytes)).toString('utf8')));
  const issuedAt = Math.floor(minter.now() / 1000) - (wanted.expired ? 2 * lifetimeSeconds : 0);
  const expiresAt = issuedAt + lifetimeSeconds;
  const token = await new SignJWT({ connection_id: wanted.connection_id })
    .setProtectedHeader({ alg: algorithm, kid: minter.key.keyId, typ: 'at+jwt' })
    .setIssuer(minter.url)
    .setAudience(wanted.audience ?? minter.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(minter.key.sign);
  return { access_token: token, expires_at: new Date(expiresAt * 1000).toISOString() };
}

async function makePrivateKey(): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return privateKeySchema.parse(await exportJWK(privateKey));
}

/** The key pair, with the part that the issuer publishes. */
async function openKey(key: PrivateKey) {
  const { d: _, ...publicPart } = key;
  const keyId = await calculateJwkThumbprint(publicPart);
  const sign = await importJWK({ ...key, alg: algorithm });
  if (sign instanceof Uint8Array) throw new Error('Cannot sign tokens: the key is not asymmetric');
  return { keyId, sign, publicKey: { ...publicPart, kid: keyId, alg: algorithm, use: 'sig' } };
}
