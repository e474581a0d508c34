import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFetchJwks } from '#shared/http/fetch-jwks.ts';
import { type LoopbackServer, listenOnLoopback } from '../../../tools/local/servers/loopback-server.ts';
import { hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { type Certificate, createSelfSigned, createTestAuthority } from '../../support/http/certificates.ts';
import { type HelloGuard, offersPostQuantum, startHelloGuard } from '../../support/http/hello-guard.ts';
import { noDeadline } from '../../support/http/post-world.ts';
import { startRawReceiver } from '../../support/http/raw-receiver.ts';

const servers: Pick<LoopbackServer, 'close'>[] = [];
const trusted = getCACertificates('default');
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
  setDefaultCACertificates(trusted);
  for (const server of servers.splice(0)) await server.close();
});

async function listen(server: Server): Promise<number> {
  const listening = await listenOnLoopback(server, 0);
  servers.push(listening);
  return listening.port;
}

/** An http issuer without a deadline, unless the test sets one. */
async function plainIssuer(answer: RequestListener, timeoutMs = noDeadline) {
  const origin = `http://127.0.0.1:${await listen(createServer(answer))}`;
  return {
    origin,
    fetchJwks: createFetchJwks({ url: `${origin}/jwks.json`, plainOrigin: origin, timeoutMs }),
  };
}

const keySet = { keys: [{ kty: 'EC' }] };
const body = JSON.stringify(keySet);
const ok: RequestListener = (_request, response) => void response.end(body);

describe('createFetchJwks()', () => {
  it('reads the JSON at the address', async () => {
    const seen: unknown[] = [];
    const { fetchJwks } = await plainIssuer((request, response) => {
      seen.push(request.method, request.url, request.headers['accept-encoding'], request.headers.authorization);
      response.end(body);
    });

    expect(await fetchJwks()).toEqual(keySet);
    expect(seen).toEqual(['GET', '/jwks.json', 'identity', undefined]);
  });

  /** Asks an https issuer, with the certificates that the environment would accept without verification. */
  async function askSecurely(certificate: Certificate) {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const port = await listen(createSecureServer(certificate, ok));
    return createFetchJwks({ url: `https://localhost:${port}/`, timeoutMs: noDeadline })();
  }

  it('asks an https issuer that the system trusts', async () => {
    const authority = await createTestAuthority();
    setDefaultCACertificates([authority.ca]);

    expect(await askSecurely(await authority.issue({ dns: ['localhost'] }))).toEqual(keySet);
  });

  it.each<[string, (hello: Buffer) => boolean, number]>([
    ['reads one segment', (hello) => hello.length > 1_400, 1],
    ['does not know the post-quantum group', offersPostQuantum, 2],
  ])('asks an https issuer behind a firewall that %s', async (_case, dislikes, connections) => {
    const authority = await createTestAuthority();
    setDefaultCACertificates([authority.ca]);
    const tls = await authority.issue({ dns: ['localhost'] });
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const server = await startRawReceiver({ tls, onData: (socket) => socket.end(answer) });
    servers.push(server);
    const guard = await startHelloGuard(server.port, dislikes);

    expect(await fetchFrom(guard)).toEqual(keySet);
    expect(guard.connectionCount()).toBe(connections);
  });

  it('says that it tried both handshakes', async () => {
    const guard = await startHelloGuard(1, () => true);

    await expect(fetchFrom(guard)).rejects.toThrow(/ECONNRESET.*with and without post-quantum groups$/);
    expect(guard.connectionCount()).toBe(2);
  });

  async function fetchFrom(guard: HelloGuard): Promise<unknown> {
    servers.push(guard);
    return await createFetchJwks({ url: `https://localhost:${guard.port}/`, timeoutMs: noDeadline })();
  }

  it('asks no https issuer that the system does not trust, even if the environment disables verification', async () => {
    await expect(askSecurely(await createSelfSigned({ dns: ['localhost'] }))).rejects.toThrow(/self-signed/);
  });

  it.each([undefined, 'http://127.0.0.1:1', 'http://localhost'])(
    'does not ask over http when the plain origin is %s',
    async (plainOrigin) => {
      let asked = 0;
      const { origin } = await plainIssuer(() => {
        asked += 1;
      });

      const attempt = createFetchJwks({ url: `${origin}/`, plainOrigin })();

      await expect(attempt).rejects.toThrow(`Cannot fetch signing keys from ${origin}: use https`);
      expect(asked).toBe(0);
    },
  );

  it.each([204, 301, 404, 500])('fails when the answer is %i', async (status) => {
    const paths: (string | undefined)[] = [];
    const { fetchJwks } = await plainIssuer((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { Location: '/elsewhere' }).end(body);
    });

    await expect(fetchJwks()).rejects.toThrow(`the response is ${status}, not 200`);
    expect(paths).toEqual(['/jwks.json']);
  });

  it.each(['', '<html>', '{"keys":'])('fails when the answer is %j', async (text) => {
    const { fetchJwks } = await plainIssuer((_request, response) => void response.end(text));

    await expect(fetchJwks()).rejects.toThrow('Cannot fetch signing keys from');
  });

  it('stops reading as soon as the response is too large', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { fetchJwks } = await plainIssuer((_request, response) => {
      closed = once(response, 'close');
      pipeline(Readable.from(spaces()), response, () => undefined);
    });

    await expect(fetchJwks()).rejects.toThrow('the response is over 262144 bytes');
    await closed;
  });

  /** They report that they have sent what they send. */
  const hanging: readonly [string, (note: () => void) => RequestListener][] = [
    ['nothing', (note) => () => note()],
    ['a head alone', (note) => (_request, response) => response.writeHead(200).write(' ', note)],
  ];

  it.each(hanging)('ends after five seconds when %s comes', async (_case, answer) => {
    const noted = Promise.withResolvers<void>();
    const { fetchJwks } = await plainIssuer(answer(noted.resolve), 5_000);
    stopDeadlines();

    const fetching = fetchJwks();
    await noted.promise;
    passTime(4_999);
    const endedBefore = await hasEnded(fetching);
    passTime(1);

    expect(endedBefore).toBe(false);
    await expect(fetching).rejects.toThrow('no response within 5000 ms');
  });

  it('leaves no timer behind, whether it succeeds or fails', async () => {
    const issuers = [await plainIssuer(ok), await plainIssuer((_request, response) => void response.end('{'))];
    stopDeadlines();

    const fetched = await Promise.allSettled(issuers.map(({ fetchJwks }) => fetchJwks()));

    expect(fetched.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails when the connection ends in the middle', async () => {
    const { fetchJwks } = await plainIssuer((_request, response) => {
      response.writeHead(200, { 'Content-Length': 1_000 });
      response.write('{', () => response.destroy());
    });

    await expect(fetchJwks()).rejects.toThrow('Cannot fetch signing keys from');
  });

  it('fails when the issuer switches to another protocol', async () => {
    const { fetchJwks } = await plainIssuer((_request, response) => {
      response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'websocket' }).end();
    });

    await expect(fetchJwks()).rejects.toThrow('the response is 101, not 200');
  });

  it('fails when no server listens', async () => {
    const { origin, fetchJwks } = await plainIssuer(ok);
    await servers.pop()?.close();

    await expect(fetchJwks()).rejects.toThrow(`Cannot fetch signing keys from ${origin}: connect ECONNREFUSED`);
  });

  it('names each address of a host of which none could be reached', async () => {
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    vi.spyOn(dns, 'lookup').mockImplementation((...given: readonly unknown[]) => {
      const done = given.at(-1);
      if (typeof done === 'function') done(null, addresses);
    });
    const port = await listen(createServer());
    await servers.pop()?.close();
    const fetchFromName = createFetchJwks({
      url: `https://issuer.example:${port}/`,
      timeoutMs: noDeadline,
    });

    const message = new RegExp(`: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}; connect E\\w+ ::1:${port}`);
    await expect(fetchFromName()).rejects.toThrow(message);
  });
});

/** An endless stream of spaces. */
function* spaces(): Generator<string> {
  for (;;) yield ' '.repeat(16 * 1024);
}
