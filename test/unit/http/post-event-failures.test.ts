import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ResolveHost } from '../../../shared/http/resolve-host.ts';
import {
  answers,
  createPostWorld,
  drip,
  ok,
  type PostWorld,
  post,
  resolvesTo,
} from '../../support/post-world.ts';
import type { RawReceiverOptions } from '../../support/raw-receiver.ts';

let world: PostWorld;

beforeAll(async () => {
  world = await createPostWorld();
});

afterEach(() => world.close());

describe('answers that are not HTTP/1.1', () => {
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
      /^The answer (is not valid HTTP\/1\.1 \(HPE_\w+\)|has no valid HTTP status|is too long .*)\.$/,
    );
  });

  it.each(['Upgrade: h2c\r\nConnection: Upgrade\r\n', ''])(
    'takes a switch of protocols as a failed attempt (%j)',
    async (headers) => {
      const receiver = await world.receiver(answers(`HTTP/1.1 101 Switch\r\n${headers}\r\n`));

      const result = await post(world.client(receiver.port), receiver.port);

      expect(result).toMatchObject({ outcome: 'rejected', responseStatus: 101 });
    },
  );
});

describe('connections that fail', () => {
  it('says that the receiver refused the connection', async () => {
    const receiver = await world.receiver({});
    await receiver.close();

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result).toMatchObject({
      outcome: 'connection_failed',
      responseStatus: null,
      error: 'The receiver refused the connection.',
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
    expect(result.error).toMatch(/^The connection was lost before the head/);
  });

  it('tries the next address when one cannot be reached', async () => {
    const receiver = await world.receiver(answers(ok));
    const resolve = resolvesTo('127.0.0.2', '127.0.0.1');

    const result = await post(world.client(receiver.port, { resolve }), receiver.port);

    expect(result.outcome).toBe('acknowledged');
  });

  it('says that the host does not resolve', async () => {
    const resolve: ResolveHost = async () => ({ ok: false, code: 'ENOTFOUND' });

    const result = await post(world.client(1234, { resolve }), 1234);

    expect(result).toMatchObject({
      outcome: 'dns_failed',
      error: 'The host name does not resolve (ENOTFOUND).',
      timings: { dnsMs: expect.any(Number), connectMs: null },
    });
  });
});

describe('the deadline', () => {
  const deadlineMs = 300;

  it.each<[string, RawReceiverOptions, RegExp]>([
    ['an answer that never comes', {}, /head of the response/],
    [
      'interim answers without end',
      { onData: drip('HTTP/1.1 103 X\r\n\r\n', 1_000) },
      /head of the response/,
    ],
    [
      'a head that drips',
      { onData: drip('HTTP/1.1 200 OK\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaa') },
      /head/,
    ],
    ['a handshake that never ends', { tls: undefined }, /TLS handshake/],
  ])('ends %s', async (_case, options, error) => {
    const receiver = await world.receiver(options);

    const result = await post(world.client(receiver.port, { deadlineMs }), receiver.port);

    expect(result).toMatchObject({ outcome: 'timed_out', responseStatus: null });
    expect(result.error).toMatch(error);
    expect(result.durationMs).toBeGreaterThanOrEqual(deadlineMs - 2);
    expect(result.durationMs).toBeLessThan(deadlineMs + 2_000);
  });

  it('ends a lookup that never answers', async () => {
    const resolve: ResolveHost = () => new Promise(() => {});

    const result = await post(world.client(1234, { deadlineMs, resolve }), 1234);

    expect(result).toMatchObject({
      outcome: 'timed_out',
      error: 'After 0.3 seconds the host name had not been resolved.',
      timings: { dnsMs: null },
    });
  });

  it('connects to nothing when the lookup answers too late', async () => {
    const receiver = await world.receiver(answers(ok));
    const resolve: ResolveHost = async (name, signal) => {
      await wait(deadlineMs + 50);
      return resolvesTo('127.0.0.1')(name, signal);
    };

    const result = await post(world.client(receiver.port, { deadlineMs, resolve }), receiver.port);
    await wait(100);

    expect(result.outcome).toBe('timed_out');
    expect(receiver.connectionCount()).toBe(0);
  });

  it('covers all phases together', async () => {
    const receiver = await world.receiver({
      onData: (socket) => setTimeout(() => socket.write(ok), 250),
    });
    const resolve: ResolveHost = async (name, signal) => {
      await wait(200);
      return resolvesTo('127.0.0.1')(name, signal);
    };

    const result = await post(world.client(receiver.port, { deadlineMs, resolve }), receiver.port);

    expect(result.outcome).toBe('timed_out');
  });

  it('closes the connection when it fires', async () => {
    const closed = vi.fn();
    const receiver = await world.receiver({ onConnection: (socket) => socket.once('close', closed) });

    await post(world.client(receiver.port, { deadlineMs }), receiver.port);

    await expect.poll(() => closed).toHaveBeenCalled();
  });
});
