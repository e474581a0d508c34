import { TLSSocket, type TlsOptions } from 'node:tls';
import { expect, it, vi } from 'vitest';
import { createPostEvent } from '#shared/http/post-event.ts';
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

it.each<[string, string, TlsOptions]>([
  ['TLS 1.1 only', 'tls_failed', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
  ['HTTP/2 only', 'tls_failed', { ALPNProtocols: ['h2'] }],
  [
    'services to clients with a certificate only',
    'tls_failed',
    { requestCert: true, rejectUnauthorized: true },
  ],
  [
    'DHE only',
    'tls_failed',
    { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' },
  ],
  ['ECDHE of TLS 1.2', 'acknowledged', { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' }],
])('a TLS handshake with a receiver that offers %s ends as %s', async (_case, outcome, offer) => {
  const certificate = await issue({ dns, keys: 'RSA' });
  const receiver = await world.endpoint({ ...answers(ok), tls: { ...certificate, ...offer } });

  expect((await receiver.post()).outcome).toBe(outcome);
  expect(receiver.connectionCount()).toBe(1);
  expect(receiver.received.flat()).toHaveLength(outcome === 'acknowledged' ? 1 : 0);
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
