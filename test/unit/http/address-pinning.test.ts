import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import { createUrlCheck } from '#shared/http/check-endpoint-url.ts';
import { connectPinned } from '#shared/http/pinned-connection.ts';
import type { PostEventDeps } from '#shared/http/post-event.ts';
import { createResolveHost, type ResolveHost } from '#shared/http/resolve-host.ts';
import { createTlsContexts } from '#shared/http/tls-context.ts';
import {
  answers,
  hostname,
  ok,
  originOf,
  post,
  posts,
  postTo,
  resolvesTo,
  settled,
  usePostWorld,
} from '../../support/http/post-world.ts';

const world = await usePostWorld();
const trustedOrigins: ReadonlySet<string> = new Set();

it('a name that was public at registration never leads to loopback', async () => {
  const resolve = inTurn(['93.184.215.14'], ['127.0.0.1']);
  const receiver = await world.endpoint(answers(ok), { resolve, trustedOrigins });

  const registration = await createUrlCheck({ resolve, trustedOrigins })(originOf(receiver.port));
  const result = await receiver.post();

  expect(registration.ok).toBe(true);
  expect(result).toMatchObject({
    outcome: 'address_refused',
    error: 'The host name resolves to an IPv4 address that is not public',
    timings: { connectMs: null },
  });
  expect(receiver.connectionCount()).toBe(0);
});

it('a name is resolved once per attempt, so there is no second answer to connect to', async () => {
  const resolve = vi.fn(resolvesTo('127.0.0.1'));
  const receiver = await world.endpoint(answers(ok), { resolve });

  await receiver.post();
  expect(resolve).toHaveBeenCalledTimes(1);
  await receiver.post();

  expect(resolve).toHaveBeenCalledTimes(2);
  expect(resolve).toHaveBeenCalledWith(hostname, expect.any(AbortSignal));
});

it.each([
  { code: 'ETIMEDOUT', addresses: ['127.0.0.1', '::1'], outcome: 'acknowledged' },
  { code: 'ETIMEDOUT', addresses: ['127.0.0.1'], outcome: 'connection_failed' },
  { code: 'ECONNREFUSED', addresses: ['127.0.0.1', '::1'], outcome: 'connection_failed' },
])('an attempt tries the first address again unless it is the only one or refuses: $addresses, $code', async (row) => {
  const receiver = await world.endpoint(answers(ok), { resolve: resolvesTo(...row.addresses) });
  const fault = Object.assign(new Error('No address accepts'), { code: row.code });
  const failFirst = (message: unknown) => {
    z.object({ socket: z.instanceof(Socket) })
      .parse(message)
      .socket.destroy(fault);
    unsubscribe('net.client.socket', failFirst);
  };
  subscribe('net.client.socket', failFirst);

  expect(await receiver.post()).toMatchObject({ outcome: row.outcome });
});

it('a name does not get a connection that was opened to its earlier address', async ({ skip }) => {
  if (process.platform !== 'linux') skip('Only Linux has the second address of loopback that it needs');
  const resolve = inTurn(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']);
  const first = await world.endpoint(answers(ok), { resolve });
  const second = await world.receiver({ ...answers(ok), address: '127.0.0.2', port: first.port });

  for (let attempt = 0; attempt < 3; attempt += 1) await first.postAndSettle();

  expect(first.received.map((chunks) => posts(chunks))).toEqual([2]);
  expect(second.received.map((chunks) => posts(chunks))).toEqual([1]);
});

it('an attempt reaches one of the first 16 addresses of a host, and judges all', async ({ skip }) => {
  if (process.platform !== 'linux') skip('Only Linux has the other addresses of loopback that it needs');
  const receiver = await world.receiver(answers(ok));
  const postTo = (addresses: readonly string[], deps?: Partial<PostEventDeps>) =>
    post(world.client(receiver.port, { resolve: resolvesTo(...addresses), ...deps }), receiver.port);
  const closed = (count: number) => Array.from({ length: count }, (_, index) => `127.0.1.${index + 1}`);

  for (let count = 0; count < 16; count += 1) {
    const result = await postTo([...closed(count), '127.0.0.1']);
    expect(result, `${count} others`).toMatchObject({ outcome: 'acknowledged' });
  }
  const beyond = await postTo([...closed(16), '127.0.0.1']);
  const publicOnes = closed(16).map(() => '93.184.215.14');
  const refused = await postTo([...publicOnes, '127.0.0.1'], { trustedOrigins });

  expect(beyond.outcome).toBe('connection_failed');
  expect(refused.outcome).toBe('address_refused');
  expect(receiver.connectionCount()).toBe(16);
});

it('a name is refused on a kept connection as soon as it resolves to a private address', async () => {
  const receiver = await world.receiver(answers(ok));
  const trusted = new Set([originOf(receiver.port)]);
  const client = world.client(receiver.port, { trustedOrigins: trusted });

  await post(client, receiver.port);
  await settled();
  trusted.clear();
  const result = await post(client, receiver.port);

  expect(result.outcome).toBe('address_refused');
  expect(receiver.received.map((chunks) => posts(chunks))).toEqual([1]);
});

it.each([
  ['public and private', ['93.184.215.14', '127.0.0.1']],
  ['private and public', ['127.0.0.1', '93.184.215.14']],
  ['a mapped address', ['::ffff:127.0.0.1']],
  ['loopback of IPv6', ['::1']],
  ['something that is no address', ['localhost']],
])('an attempt refuses an answer of DNS with %s', async (_case, addresses) => {
  const resolve = resolvesTo(...addresses);
  const receiver = await world.endpoint(answers(ok), { resolve, trustedOrigins });

  const result = await receiver.post();

  expect(result.outcome).toBe('address_refused');
  expect(result.error).not.toMatch(/127|::/);
  expect(receiver.connectionCount()).toBe(0);
});

it.each([
  ...['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost'].map(
    (host) => `https://${host}`,
  ),
  `http://${hostname}`,
])('an attempt refuses a stored URL that begins with %s without a DNS lookup', async (origin) => {
  const resolve = vi.fn(resolvesTo('127.0.0.1'));
  const receiver = await world.endpoint(answers(ok), { resolve, trustedOrigins });

  const result = await postTo(receiver.client, `${origin}:${receiver.port}/`);

  expect(result.outcome).toBe('address_refused');
  expect(resolve).not.toHaveBeenCalled();
  expect(receiver.connectionCount()).toBe(0);
});

it('an attempt trusts one origin only, not its neighbour on another port', async () => {
  const { client } = await world.endpoint(answers(ok));
  const neighbour = await world.receiver(answers(ok));

  const result = await post(client, neighbour.port);

  expect(result.outcome).toBe('address_refused');
  expect(neighbour.connectionCount()).toBe(0);
});

it('an attempt reaches a trusted origin whose host is an address', async () => {
  const certificate = await world.authority.issue({ ip: ['127.0.0.1'] });
  const receiver = await world.receiver({ ...answers(ok), tls: certificate });
  const origin = `https://127.0.0.1:${receiver.port}`;
  const resolve = vi.fn(resolvesTo('127.0.0.2'));
  const client = world.client(receiver.port, { resolve, trustedOrigins: new Set([origin]) });

  const result = await postTo(client, origin);

  expect(result).toMatchObject({ outcome: 'acknowledged', timings: { dnsMs: null } });
  expect(resolve).not.toHaveBeenCalled();
});

it.each([
  ['localhost', '127.0.0.1'],
  ['localhost', '::1'],
  ['app.localhost', '::1'],
])('an attempt reaches the trusted origin of %s where a development server listens on %s', async (host, address) => {
  const tls = await world.authority.issue({ dns: [host] });
  const receiver = await world.receiver({ ...answers(ok), tls, address });
  const origin = `https://${host}:${receiver.port}`;
  const trusted = new Set([origin]);
  const client = world.client(receiver.port, {
    resolve: createResolveHost({ trustedOrigins: trusted }),
    trustedOrigins: trusted,
  });

  expect(await postTo(client, origin)).toMatchObject({ outcome: 'acknowledged' });
});

it('connectPinned() sends nothing on a connection to an address that was not checked', async () => {
  const closed = Promise.withResolvers<void>();
  const receiver = await world.receiver({
    tls: undefined,
    onConnection: (socket) => socket.once('close', () => closed.resolve()),
    onData: (socket) => socket.end(),
  });
  const origin = `https://127.0.0.1:${receiver.port}`;
  const parsed = parseEndpointUrl(origin, { trustedOrigins: new Set([origin]) });
  if (!parsed.ok) throw new Error(parsed.detail);

  // Node connects to a host that is an address without a lookup, so only the check of the connection remains.
  const connecting = connectPinned({
    url: parsed.url,
    addresses: ['93.184.215.14'],
    tls: createTlsContexts(),
    progress: new AttemptProgress(Date.now),
    signal: new AbortController().signal,
  });

  await expect(connecting).rejects.toMatchObject({ outcome: 'address_refused' });
  await closed.promise;
  expect(receiver.connectionCount()).toBe(1);
  expect(receiver.received.flat()).toEqual([]);
});

it('an attempt whose connection is lost as it opens says so, and not that its address was refused', async () => {
  const receiver = await world.endpoint(answers(ok));
  const lose = (message: unknown) => {
    const { socket } = Object(message);
    if (socket instanceof Socket) socket.once('connect', () => socket.destroy());
  };

  subscribe('net.client.socket', lose);
  const result = await receiver.post().finally(() => unsubscribe('net.client.socket', lose));

  expect(result).toMatchObject({ outcome: 'connection_failed', error: 'Could not connect to the receiver' });
});

function inTurn(...answersInTurn: string[][]): ResolveHost {
  return async () => ({ ok: true, addresses: answersInTurn.shift() ?? ['127.0.0.1'] });
}
