import { connect } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import { expect, it, vi } from 'vitest';
import { createPostEvent } from '#shared/http/post-event.ts';
import { createTlsContexts } from '#shared/http/tls-context.ts';
import { createSelfSigned } from '../../support/http/certificates.ts';
import {
  answers,
  hostname,
  ok,
  originOf,
  post,
  resolvesTo,
  usePostWorld,
} from '../../support/http/post-world.ts';
import { withFixedHeaders } from '../../support/http/sent-request.ts';

const world = await usePostWorld();

const { issue } = world.authority;
const dns = [hostname];

const refused: readonly [string, () => Promise<TlsOptions>, RegExp][] = [
  ['that is self-signed', () => createSelfSigned({ dns }), /it is self-signed/],
  ['of another host', () => issue({ dns: ['example.com'] }), /does not name the host/],
  ['with a common name only', () => issue({ commonName: hostname }), /does not name the host/],
  ['of the address only', () => issue({ ip: ['127.0.0.1'] }), /does not name the host/],
  ['that has expired', () => issue({ dns, from: -2, until: -1 }), /has expired/],
  ['that is not valid yet', () => issue({ dns, from: 1, until: 2 }), /not valid yet/],
];

it.each(refused)('a certificate is refused %s', async (_case, certificate, error) => {
  const receiver = await world.endpoint({ ...answers(ok), tls: await certificate() });

  const result = await receiver.post();

  expect(result).toMatchObject({ outcome: 'tls_failed', responseStatus: null, timings: { tlsMs: null } });
  expect(result.error).toMatch(error);
  expect(receiver.received.flat()).toEqual([]);
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

/** Two connections: the handshake that died was tried once more with another ClientHello. */
it.each<[string, string | null, number, TlsOptions]>([
  [
    'TLS 1.1 only',
    'The TLS handshake failed: the receiver offers neither TLS 1.3 nor TLS 1.2 (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)',
    1,
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  ],
  [
    'HTTP/2 only',
    'The TLS handshake failed: the receiver does not offer HTTP/1.1 (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)',
    1,
    { ALPNProtocols: ['h2'] },
  ],
  [
    'services to clients with a certificate only',
    'The TLS handshake failed: the receiver asks for a client certificate (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
    1,
    { requestCert: true, rejectUnauthorized: true },
  ],
  [
    'DHE only',
    'The TLS handshake failed: the receiver closed the connection, with and without post-quantum groups',
    2,
    { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' },
  ],
  ['ECDHE of TLS 1.2', null, 1, { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' }],
  ['RSA key exchange', null, 1, { ciphers: 'AES128-GCM-SHA256', maxVersion: 'TLSv1.2' }],
  ...['X25519MLKEM768', 'X25519', 'P-256', 'X448', 'P-384', 'P-521'].map(
    (ecdhCurve): [string, null, number, TlsOptions] => [ecdhCurve, null, 1, { ecdhCurve }],
  ),
])(
  'a TLS handshake with a receiver that offers %s ends with %j',
  async (_case, error, connections, offer) => {
    const certificate = await issue({ dns, keys: 'RSA' });
    const receiver = await world.endpoint({ ...answers(ok), tls: { ...certificate, ...offer } });

    expect((await receiver.post()).error).toBe(error);
    expect(receiver.connectionCount()).toBe(connections);
    expect(receiver.received.flat()).toHaveLength(error === null ? 1 : 0);
  },
);

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

/** A server or firewall that reads the first segment of a connection and knows nothing newer than this. */
it.each<[string, (hello: Buffer) => boolean, 'acknowledged' | 'tls_failed']>([
  ['reads one segment', (hello) => hello.length > 1_400, 'acknowledged'],
  [
    'does not know the post-quantum group',
    (hello) => hello.includes(Buffer.from('11ec', 'hex')),
    'acknowledged',
  ],
  ['closes every connection', () => true, 'tls_failed'],
])('a TLS handshake with a server that %s', async (_case, dislikes, outcome) => {
  const receiver = await world.receiver(answers(ok));
  const hellos: number[] = [];
  const guard = await world.receiver({
    tls: undefined,
    onConnection: (socket) =>
      socket.once('data', (hello) => {
        hellos.push(hello.length);
        if (dislikes(hello)) return void socket.resetAndDestroy();
        const server = connect(receiver.port, '127.0.0.1');
        server.on('error', () => {}).write(hello);
        socket.pipe(server).pipe(socket);
      }),
  });

  const result = await post(world.client(guard.port), guard.port);

  expect(result.outcome).toBe(outcome);
  expect(Math.max(...hellos)).toBeLessThan(600);
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

  expect(await receiver.post()).toMatchObject({ outcome: 'connection_failed', responseStatus: null });
  expect(receiver.received).toHaveLength(1);
  expect(renegotiations).toBe(0);
});
