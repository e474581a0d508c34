import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ResolveHost } from '#shared/http/resolve-host.ts';
import { deployedDeadline, hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import {
  answers,
  createPostWorld,
  drip,
  ok,
  type PostWorld,
  post,
  resolvesTo,
} from '../../support/http/post-world.ts';
import type { RawReceiverOptions } from '../../support/http/raw-receiver.ts';

let world: PostWorld;

beforeAll(async () => {
  world = await createPostWorld();
});

afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

describe('responses that are not HTTP/1.1', () => {
  it.each([
    ['HTTP/0.9', '<html>hello</html>'],
    ['another protocol', 'ICY 200 OK\r\n\r\n'],
    ['a bad status line', 'HTTP/1.1 OK 200\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 X\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000 X\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a head that is too long', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['ten thousand headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(10_000)}\r\n`],
    ['bytes of HTTP/2', '\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000'],
  ])('says so of %s', async (_case, bytes) => {
    const receiver = await world.receiver(answers(bytes));

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result).toMatchObject({ outcome: 'invalid_response', responseStatus: null });
    expect(result.error).toMatch(
      /^The response (is not valid HTTP\/1\.1 \(HPE_\w+\)|has no valid HTTP status|headers are too large)$/,
    );
  });

  it.each(['Upgrade: h2c\r\nConnection: Upgrade\r\n', ''])(
    'a switch of protocols is a failed attempt (%j)',
    async (headers) => {
      const receiver = await world.receiver(answers(`HTTP/1.1 101 Switch\r\n${headers}\r\n`));

      const result = await post(world.client(receiver.port), receiver.port);

      expect(result).toMatchObject({ outcome: 'rejected', responseStatus: 101 });
    },
  );
});

describe('connections that fail', () => {
  it('an attempt says that the receiver refused the connection', async () => {
    const receiver = await world.receiver({});
    await receiver.close();

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result).toMatchObject({
      outcome: 'connection_failed',
      responseStatus: null,
      error: 'The receiver refused the connection',
      timings: { dnsMs: expect.any(Number), connectMs: null, tlsMs: null, firstByteMs: null },
    });
  });

  it.each([
    ['before the head', ''],
    ['within the head', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('says that the connection was lost %s', async (_case, bytes) => {
    const receiver = await world.receiver({
      onData: (socket) => (bytes === '' ? socket.destroy() : socket.end(bytes)),
    });

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result).toMatchObject({ outcome: 'connection_failed', responseStatus: null });
    expect(result.error).toMatch(/^The connection was lost before the response headers/);
  });

  it('an attempt tries the next address when one is unreachable', async () => {
    const receiver = await world.receiver(answers(ok));
    const resolve = resolvesTo('127.0.0.2', '127.0.0.1');

    const result = await post(world.client(receiver.port, { resolve }), receiver.port);

    expect(result.outcome).toBe('acknowledged');
  });

  it('an attempt says that the host does not resolve', async () => {
    const resolve: ResolveHost = async () => ({ ok: false, code: 'ENOTFOUND' });

    const result = await post(world.client(1234, { resolve }), 1234);

    expect(result).toMatchObject({
      outcome: 'dns_failed',
      error: 'The host name does not resolve (ENOTFOUND)',
      timings: { dnsMs: expect.any(Number), connectMs: null },
    });
  });
});

describe('the deadline', () => {
  const { deadlineMs } = deployedDeadline;
  const headMissing = 'No complete response headers within 10 s';

  it.each<[string, (note: () => void) => RawReceiverOptions, string]>([
    ['an answer that never comes', (note) => ({ onData: note }), headMissing],
    [
      'interim answers without end',
      (note) => ({ onData: drip('HTTP/1.1 103 X\r\n\r\n', 1_000, note) }),
      headMissing,
    ],
    [
      'a head that drips',
      (note) => ({ onData: drip(`HTTP/1.1 200 OK\r\nX-Slow: ${'a'.repeat(9_000)}`, 1, note) }),
      headMissing,
    ],
    [
      'a handshake that never ends',
      (note) => ({ tls: undefined, onData: note }),
      'No complete TLS handshake within 10 s',
    ],
  ])('ends %s', async (_case, options, error) => {
    const { promise: noted, resolve: note } = Promise.withResolvers<void>();
    const receiver = await world.receiver(options(note));
    let now = 1_000_000;
    const client = world.client(receiver.port, { ...deployedDeadline, now: () => now });
    stopDeadlines();

    const attempt = post(client, receiver.port);
    await noted;
    passTime(deadlineMs - 1);
    const endedBefore = await hasEnded(attempt);
    now += deadlineMs;
    passTime(1);
    const result = await attempt;

    expect(endedBefore).toBe(false);
    expect(result).toMatchObject({
      outcome: 'timed_out',
      responseStatus: null,
      error,
      durationMs: deadlineMs,
    });
  });

  it('the deadline ends a DNS lookup that never responds', async () => {
    const resolve: ResolveHost = () => new Promise(() => {});
    stopDeadlines();

    const attempt = post(world.client(1234, { ...deployedDeadline, resolve }), 1234);
    passTime(deadlineMs);

    expect(await attempt).toMatchObject({
      outcome: 'timed_out',
      error: 'No answer from DNS within 10 s',
      timings: { dnsMs: null },
    });
  });

  it('an attempt opens no connection when the DNS lookup responds too late', async () => {
    const receiver = await world.receiver(answers(ok));
    const lookups = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const waiting = lookups.values();
    const resolve: ResolveHost = async (name, signal) => {
      await waiting.next().value?.promise;
      return resolvesTo('127.0.0.1')(name, signal);
    };
    const client = world.client(receiver.port, { ...deployedDeadline, resolve });
    stopDeadlines();

    const attempt = post(client, receiver.port);
    passTime(deadlineMs);
    const result = await attempt;
    for (const lookup of lookups) lookup.resolve();
    const next = await post(client, receiver.port);

    expect(result.outcome).toBe('timed_out');
    expect(next.outcome).toBe('acknowledged');
    expect(receiver.connectionCount()).toBe(1);
  });

  it('the deadline covers all phases together', async () => {
    const lookup = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const receiver = await world.receiver({ onData: () => asked.resolve() });
    const resolve: ResolveHost = async (name, signal) => {
      await lookup.promise;
      return resolvesTo('127.0.0.1')(name, signal);
    };
    stopDeadlines();

    const attempt = post(world.client(receiver.port, { ...deployedDeadline, resolve }), receiver.port);
    passTime(6_000);
    lookup.resolve();
    await asked.promise;
    passTime(deadlineMs - 6_001);
    const endedBefore = await hasEnded(attempt);
    passTime(1);

    expect(endedBefore).toBe(false);
    expect(await attempt).toMatchObject({ outcome: 'timed_out', error: headMissing });
  });

  it('the deadline closes the connection', async () => {
    const closed = vi.fn();
    const asked = Promise.withResolvers<void>();
    const receiver = await world.receiver({
      onConnection: (socket) => socket.once('close', closed),
      onData: () => asked.resolve(),
    });
    stopDeadlines();

    const attempt = post(world.client(receiver.port, deployedDeadline), receiver.port);
    await asked.promise;
    passTime(deadlineMs);
    await attempt;

    await expect.poll(() => closed).toHaveBeenCalled();
  });
});
