import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { z } from 'zod';
import {
  answerJson,
  type LoopbackServer,
  listenOnLoopback,
  readBody,
} from '../../servers/loopback-server.ts';
import {
  type IssuerKey,
  issuerAlgorithm,
  keepIssuer,
  makePrivateKey,
  openKey,
  readKeptIssuer,
} from './issuer-key.ts';

export type IssuerOptions = {
  /** 0 takes any free one. The port of a kept key comes first. */
  readonly port: number;
  /** What tokens are for, unless another audience is asked for. */
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Where key and port outlive the process, mode 0600; without it, both are new in every run. */
  readonly dataFile?: string;
};

export type RunningIssuer = {
  /** Its origin, and what `iss` of its tokens holds. */
  readonly url: string;
  close(): Promise<void>;
};

const lifetimeSeconds = 3600;
const maxBodyBytes = 16 * 1024;

const mintRequest = z.object({
  connection_id: z.string(),
  audience: z.string().optional(),
  expired: z.boolean().default(false),
});

type Minter = IssuerOptions & { readonly url: string; readonly key: IssuerKey };

/**
 * Starts an issuer of access tokens. `GET /.well-known/jwks.json` publishes its key; `POST /tokens` with
 * `{ connection_id, audience?, expired? }` mints a token for anybody on this machine.
 *
 * @throws Error when the port is in use or the data file holds something else
 */
export async function startIssuer(options: IssuerOptions): Promise<RunningIssuer> {
  const kept = await readKeptIssuer(options.dataFile);
  const privateKey = kept?.key ?? (await makePrivateKey());
  const key = await openKey(privateKey);
  const server = createServer();
  const listener = await listen(server, [kept?.port, options.port]);
  await keepIssuer(options.dataFile, { port: listener.port, key: privateKey });
  const url = `http://127.0.0.1:${listener.port}`;
  server.on('request', (request, response) => void answer({ ...options, url, key }, request, response));
  return { url, close: () => listener.close() };
}

async function listen(
  server: ReturnType<typeof createServer>,
  [kept, port]: readonly [number | undefined, number],
): Promise<LoopbackServer> {
  if (kept === undefined) return await listenOnLoopback(server, port);
  return await listenOnLoopback(server, kept).catch(() => listenOnLoopback(server, port));
}

async function answer(minter: Minter, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`;
  try {
    if (route === 'GET /.well-known/jwks.json') {
      answerJson(response, 200, { keys: [minter.key.publicKey] });
    } else if (route === 'POST /tokens') {
      answerJson(response, 200, await mint(minter, request));
    } else {
      answerJson(response, 404, { error: 'There is GET /.well-known/jwks.json and POST /tokens' });
    }
  } catch (error) {
    answerJson(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

/** JSON is insisted on because a web page of another origin cannot send it unasked. */
async function mint(minter: Minter, request: IncomingMessage) {
  if (request.headers['content-type'] !== 'application/json') throw new Error('Send application/json');
  const wish = mintRequest.parse(JSON.parse((await readBody(request, maxBodyBytes)).toString('utf8')));
  const issuedAt = Math.floor(minter.now() / 1000) - (wish.expired ? 2 * lifetimeSeconds : 0);
  const expiresAt = issuedAt + lifetimeSeconds;
  const token = await new SignJWT({ connection_id: wish.connection_id })
    .setProtectedHeader({ alg: issuerAlgorithm, kid: minter.key.keyId, typ: 'at+jwt' })
    .setIssuer(minter.url)
    .setAudience(wish.audience ?? minter.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(minter.key.sign);
  return { access_token: token, expires_at: new Date(expiresAt * 1000).toISOString() };
}
