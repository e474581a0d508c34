import { TLSSocket } from 'node:tls';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createPostEvent } from '#shared/http/post-event.ts';
import { createTlsContexts } from '#shared/http/tls-context.ts';
import { type CertificateWish, createSelfSigned } from '../../support/http/certificates.ts';
import { offersPostQuantum, startHelloGuard } from '../../support/http/hello-guard.ts';
import { answers, hostname, ok, originOf, post, resolvesTo, usePostWorld } from '../../support/http/post-world.ts';
import { withFixedHeaders } from '../../support/http/sent-request.ts';
import servers from '../../vectors/tls-servers.json' with { type: 'json' };

const world = await usePostWorld();

const dns = [hostname];

const version = z.enum(['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']);

const vectors = z
  .array(
    z.object({
      name: z.string(),
      /** Of a trusted authority for the right host unless given. */
      certificate: z.custom<CertificateWish & { isSelfSigned?: true }>().default({ dns }),
      server: z.looseObject({ minVersion: version, maxVersion: version }).partial().default({}),
      /** A part of the text of the error; `null`: the request is sent. */
      error: z.string().nullable(),
      connections: z.int(),
    }),
  )
  .parse(servers);

/** Two connections: the handshake that died was tried once more with another ClientHello. */
it.each(vectors)('a receiver that offers $name gets the request unless $error', async (vector) => {
  const { isSelfSigned, ...wish } = vector.certificate;
  const certificate = await (isSelfSigned === true ? createSelfSigned(wish) : world.authority.issue(wish));
  const receiver = await world.endpoint({ ...answers(ok), tls: { ...certificate, ...vector.server } });

  const { outcome, error } = await receiver.post();

  expect({ outcome, error }).toEqual(
    vector.error === null
      ? { outcome: 'acknowledged', error: null }
      : { outcome: 'tls_failed', error: expect.stringContaining(vector.error) },
  );
  expect(receiver.connectionCount()).toBe(vector.connections);
  expect(receiver.received.flat()).toHaveLength(vector.error === null ? 1 : 0);
});

it('a certificate of an unknown authority is refused, even if the environment disables verification', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const receiver = await world.receiver(answers(ok));
  const client = withFixedHeaders(
    createPostEvent({
      resolve: resolvesTo('127.0.0.1'),
      trustedOrigins: new Set([originOf(receiver.port)]),
      now: Date.now,
    }),
  );

  const result = await post(client, receiver.port);

  expect(result).toMatchObject({
    outcome: 'tls_failed',
    error: expect.stringMatching(/issuer is unknown/),
  });
  expect(receiver.received.flat()).toEqual([]);
});

it('a certificate with a short key is refused with this reason', async () => {
  const certificate = await createSelfSigned({ dns, keys: 'RSA-1024' });
  const receiver = await world.endpoint(
    { ...answers(ok), tls: { ...certificate, ciphers: 'ALL:@SECLEVEL=0' } },
    { tls: createTlsContexts(certificate.cert) },
  );

  expect((await receiver.post()).error).toBe(
    'The certificate of the receiver was rejected: its key, or one in its chain, is too short (UNSPECIFIED)',
  );
});

it.each<[string, (hello: Buffer) => boolean, 'acknowledged' | 'tls_failed']>([
  ['reads one segment', (hello) => hello.length > 1_400, 'acknowledged'],
  ['does not know the post-quantum group', offersPostQuantum, 'acknowledged'],
  ['closes every connection', () => true, 'tls_failed'],
])('a TLS handshake with a server that %s', async (_case, dislikes, outcome) => {
  const receiver = await world.receiver(answers(ok));
  const guard = await startHelloGuard(receiver.port, dislikes);

  const result = await post(world.client(guard.port), guard.port);
  await guard.close();

  expect(result.outcome).toBe(outcome);
  expect(Math.max(...guard.hellos)).toBeLessThan(600);
  expect(guard.connectionCount()).toBeLessThanOrEqual(2);
});

it.each(['HTTP/1.1 400 Bad Request\r\n\r\n', ''])(
  'a TLS handshake fails with a receiver that responds %j',
  async (bytes) => {
    const { post } = await world.endpoint({ tls: undefined, onData: (socket) => socket.end(bytes) });

    expect(await post()).toMatchObject({
      outcome: 'tls_failed',
      error: expect.stringMatching(/^The TLS handshake failed/),
    });
  },
);

const alert = (description: number): number[] => [21, 3, 3, 0, 2, 2, description];
/** The ServerHello of TLS 1.2 with no extension, so without that of secure renegotiation. */
const oldServerHello = [22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3, ...Array<number>(32).fill(7), 0, 0xc0, 0x2f, 0];

it.each([
  { bytes: alert(40), why: 'the receiver shares no cipher or group, or asks for a client certificate' },
  { bytes: alert(71), why: 'the receiver shares no cipher or group' },
  { bytes: alert(80), why: 'the receiver may have no certificate for the host of the URL' },
  { bytes: alert(112), why: 'the receiver does not serve the host of the URL' },
  { bytes: oldServerHello, why: 'the receiver does not know secure renegotiation (RFC 5746)' },
])('the error of a failed handshake says: $why', async ({ bytes, why }) => {
  const { post } = await world.endpoint({ tls: undefined, onData: (socket) => socket.end(Buffer.from(bytes)) });

  const { error } = await post();

  expect(error).toContain(`The TLS handshake failed: ${why} (ERR_SSL_`);
});

it('a TLS handshake is not repeated when the receiver asks for renegotiation', async () => {
  let renegotiations = 0;
  const receiver = await world.endpoint({
    tls: { ...world.certificate, maxVersion: 'TLSv1.2' },
    onData: (socket) => {
      if (!(socket instanceof TLSSocket)) return;
      socket.renegotiate({}, (error) => {
        renegotiations += error === null ? 1 : 0;
        socket.end(ok);
      });
    },
  });

  expect(await receiver.post()).toMatchObject({
    outcome: 'tls_failed',
    error: expect.stringContaining('asks for a client certificate'),
  });
  expect(receiver.received).toHaveLength(1);
  expect(renegotiations).toBe(0);
});
