import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '#shared/domain/attempt.ts';
import type { PostEventDeps } from '#shared/http/post-event.ts';
import type { Headers } from '#shared/operations/ports.ts';
import { deployedDeadline, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { answers, ok, originOf, posts, settled, usePostWorld } from '../../support/http/post-world.ts';
import type { RawReceiver } from '../../support/http/raw-receiver.ts';

const world = await usePostWorld();

type React = (socket: Socket, receiver: RawReceiver) => unknown;

/** A receiver that answers the first request of its first connection, and reacts to the second one in another way. */
async function startReceiver(react: React, onNew: React = (socket) => socket.write(ok)) {
  const receiver: RawReceiver = await world.receiver({
    onData: (socket, connection) => {
      if (connection > 0) onNew(socket, receiver);
      else if (posts(receiver.received[0]) === 1) socket.write(ok);
      else react(socket, receiver);
    },
  });
  return receiver;
}

type Given = {
  readonly deps?: Partial<PostEventDeps>;
  readonly before?: () => void;
  readonly tries?: number;
};

/** Posts twice to it, the second time on the kept connection. @returns the second result */
async function postTwice({ port }: RawReceiver, { deps = {}, before = () => {}, tries = 3 }: Given = {}) {
  const postEvent = world.postEvent(port, deps);
  let tried = 0;
  const headers = async (): Promise<Headers | Withdrawal> => {
    tried += 1;
    return tried > tries ? 'endpoint_deleted' : { 'X-Try': String(tried) };
  };
  const once = () => postEvent({ webhookId: 'whe_1', url: `${originOf(port)}/hook`, headers, body: Buffer.from('{}') });
  await once();
  await settled();
  before();
  return once();
}

const requestsOf = ({ received }: RawReceiver) => received.map((chunks) => posts(chunks));
const triesOf = ({ received }: RawReceiver) =>
  received.map((chunks) =>
    Buffer.concat(chunks)
      .toString()
      .match(/(?<=X-Try: )\d/g)
      ?.join(' '),
  );

describe('a kept connection that ends without a response', () => {
  it.each<[string, React]>([
    ['with a FIN', (socket) => socket.end()],
    ['with a reset', (_socket, receiver) => receiver.reset()],
    ['abruptly', (socket) => socket.destroy()],
    [
      'with a response to no request',
      (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    ],
    ['with one of HTTP/1.0', (socket) => socket.end('HTTP/1.0 408 Request Time-out\r\n\r\nno request')],
  ])(
    '%s loses no attempt: the request is sent again on a new connection, once, with headers of its own',
    async (_way, end) => {
      const receiver = await startReceiver(end);

      const result = await postTwice(receiver);

      expect(result).toMatchObject({ outcome: 'acknowledged', responseStatus: 200, isRepeated: true });
      expect(triesOf(receiver)).toEqual(['1 2', '3']);
    },
  );

  it.each<[string, React, string]>([
    ['ends', (socket) => socket.end(), 'connection_failed'],
    ['is reset', (_socket, receiver) => receiver.reset(), 'connection_failed'],
    ['gets a 408', (socket) => socket.end('HTTP/1.1 408 X\r\nContent-Length: 0\r\n\r\n'), 'rejected'],
  ])('leads to no third request when the new connection %s too', async (_way, end, outcome) => {
    const receiver = await startReceiver((socket) => socket.end(), end);

    const result = await postTwice(receiver);

    expect(result).toMatchObject({ outcome, isRepeated: true });
    expect(requestsOf(receiver)).toEqual([2, 1]);
  });

  it('counts the attempt when the endpoint was deleted before the request could be sent again', async () => {
    const receiver = await startReceiver((socket) => socket.end());

    const result = await postTwice(receiver, { tries: 2 });

    expect(result).toMatchObject({ outcome: 'connection_failed', isRepeated: false });
    expect(requestsOf(receiver).reduce((sum, count) => sum + count)).toBe(2);
  });

  it('leads to no request after the deadline, which covers both', async () => {
    const receiver = await startReceiver(
      (socket) => {
        passTime(6_000);
        socket.end();
      },
      () => passTime(4_000),
    );

    const result = await postTwice(receiver, { deps: deployedDeadline, before: stopDeadlines });

    expect(result).toMatchObject({ outcome: 'timed_out', isRepeated: true });
    expect(requestsOf(receiver)).toEqual([2, 1]);
  });
});

describe('a request is not sent again', () => {
  it.each<[string, React]>([
    ['one byte of a response', (socket) => socket.end('H')],
    ['a part of the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['an interim response', (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('after a kept connection that ended with %s', async (_case, end) => {
    const receiver = await startReceiver(end);

    const result = await postTwice(receiver);

    expect(result).toMatchObject({ outcome: 'connection_failed', isRepeated: false });
    expect(requestsOf(receiver)).toEqual([2]);
  });

  it.each([
    ['408 on a connection that stays open', 'HTTP/1.1 408 X\r\nContent-Length: 0\r\n\r\n'],
    ['503 that closes the connection', 'HTTP/1.1 503 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
  ])('after a %s', async (_case, response) => {
    const receiver = await startReceiver((socket) => socket.write(response));

    const result = await postTwice(receiver);

    expect(result).toMatchObject({ outcome: 'rejected', isRepeated: false });
    expect(requestsOf(receiver)).toEqual([2]);
  });

  it('after a time-out on a kept connection', async () => {
    const receiver = await startReceiver(() => passTime(10_000));

    const result = await postTwice(receiver, { deps: deployedDeadline, before: stopDeadlines });

    expect(result).toMatchObject({ outcome: 'timed_out', isRepeated: false });
    expect(requestsOf(receiver)).toEqual([2]);
  });

  it.each<[string, React]>([
    ['ends', (socket) => socket.end()],
    ['is reset', (_socket, receiver) => receiver.reset()],
  ])('after a new connection that %s without a response', async (_case, end) => {
    const receiver: RawReceiver = await world.receiver({ onData: (socket) => end(socket, receiver) });
    const client = world.client(receiver.port);

    const result = await client({
      webhookId: 'whe_1',
      url: originOf(receiver.port),
      headers: {},
      body: Buffer.from('{}'),
    });

    expect(result).toMatchObject({ outcome: 'connection_failed', isRepeated: false });
    expect(requestsOf(receiver)).toEqual([1]);
  });
});

it('any number of kept connections that ended meanwhile cost nothing', async () => {
  const waiting: Socket[] = [];
  const receiver = await world.endpoint({
    onData: (socket) => {
      if (waiting.push(socket) % 20 === 0) for (const each of waiting) each.write(ok);
      else if (waiting.length > 20) socket.write(ok);
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => receiver.post()));
  await settled();

  receiver.reset();
  const result = await receiver.post();

  expect(result).toMatchObject({ outcome: 'acknowledged' });
  expect(receiver.connectionCount()).toBe(21);
});

/** What a server says about its connections, how long one was idle, and whether it is used again. */
it.each<[string, number, boolean]>([
  ['X-A: b', 999, true],
  ['X-A: b', 1_000, false],
  ['Connection: keep-alive', 999, true],
  ['Connection: close', 0, false],
  ['connection: CLOSE', 0, false],
  ['Connection: keep-alive, close', 0, false],
  ['Connection: keep-alive\r\nConnection: close', 0, false],
  ['Proxy-Connection: close', 0, false],
  ['Keep-Alive: timeout=5, max=100', 999, true],
  ['Keep-Alive: timeout=5, max=100', 1_000, false],
  ['Keep-Alive: timeout=1', 999, true],
  ['Keep-Alive: timeout=0', 0, false],
  ['Keep-Alive: max=100, timeout=0', 0, false],
  ['Keep-Alive: max=100; timeout=0', 0, false],
  ['Keep-Alive: Timeout = "0"', 0, false],
  ['Keep-Alive: timeout=5\r\nKeep-Alive: timeout=0', 0, false],
  ['Keep-Alive: timeout=0.5', 499, true],
  ['Keep-Alive: timeout=0.5', 500, false],
  ['Keep-Alive: max=0', 0, false],
  ['Keep-Alive: max=1', 0, true],
])('a connection with %j that was idle for %i ms is used again: %s', async (header, idle, isUsed) => {
  let time = 1_000_000;
  const receiver = await world.endpoint(answers(`HTTP/1.1 200 OK\r\n${header}\r\nContent-Length: 0\r\n\r\n`), {
    now: () => time,
  });

  await receiver.postAndSettle();
  time += idle;
  await receiver.post();

  expect(receiver.connectionCount()).toBe(isUsed ? 1 : 2);
});
