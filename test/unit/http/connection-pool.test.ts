import { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import { ConnectionPool } from '#shared/http/connection-pool.ts';
import { deployedDeadline, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import {
  answers,
  closeIdleConnections,
  hostname,
  ok,
  onlyPool,
  originOf,
  posts,
  postTo,
  settled,
  usePostWorld,
} from '../../support/http/post-world.ts';

const world = await usePostWorld();
type Endpoint = Awaited<ReturnType<typeof world.endpoint>>;

/** Posts, and again once the connection was kept or closed. */
async function postTwice({ post, postAndSettle }: Endpoint) {
  return [await postAndSettle(), await post()].map(({ outcome }) => outcome);
}

const acknowledged = (count: number) => Array<string>(count).fill('acknowledged');

it('a kept connection serves one attempt at a time', async () => {
  const receiver = await world.endpoint({ onData: answerTogether(5) });
  const postFive = () => Promise.all(Array.from({ length: 5 }, () => receiver.post()));

  const results = await postFive();
  await settled();
  results.push(...(await postFive()));

  expect(results.map((result) => result.outcome)).toEqual(acknowledged(10));
  expect(receiver.received.map((chunks) => posts(chunks))).toEqual(Array(5).fill(2));
});

it('kept connections are never shared between hosts with the same address', async () => {
  const both = await world.authority.issue({ dns: [hostname, 'other.example.com'] });
  const receiver = await world.receiver({ ...answers(ok), tls: both });
  const other = `https://other.example.com:${receiver.port}`;
  const trustedOrigins = new Set([originOf(receiver.port), other]);
  const client = world.client(receiver.port, { trustedOrigins });

  await postTo(client, originOf(receiver.port));
  await settled();
  await postTo(client, other);

  expect(receiver.connectionCount()).toBe(2);
});

it('kept connections are never shared between endpoints with the same URL, so never between customers', async () => {
  const receiver = await world.endpoint(answers(ok));

  await receiver.postAndSettle('whe_1');
  await receiver.postAndSettle('whe_2');
  const afterTwo = receiver.connectionCount();
  await Promise.all([receiver.post('whe_1'), receiver.post('whe_2')]);

  expect(afterTwo).toBe(2);
  expect(receiver.connectionCount()).toBe(2);
});

it.each([
  ['idle for a second', 1_000],
  ['of a clock that was set back', -1],
])('kept connections are not used when they are %s', async (_case, step) => {
  let time = 1_000_000;
  const receiver = await world.endpoint(answers(ok), { now: () => time });

  await receiver.postAndSettle();
  time += step;
  const result = await receiver.post();

  expect(result.outcome).toBe('acknowledged');
  expect(receiver.connectionCount()).toBe(2);
});

it('a connection that was opened a minute ago is not used, even if it was never idle for long', async () => {
  const openedAt = 1_000_000;
  let time = openedAt;
  const receiver = await world.endpoint(answers(ok), { now: () => time });
  const postAt = async (age: number) => {
    time = openedAt + age;
    await receiver.postAndSettle();
    return receiver.connectionCount();
  };

  const counts: number[] = [];
  for (let age = 0; age <= 59_400; age += 900) counts.push(await postAt(age));
  counts.push(await postAt(59_999));
  const next = await postAt(60_000);

  expect(new Set(counts)).toEqual(new Set([1]));
  expect(next).toBe(2);
});

it('a kept connection survives many interim responses and a long body', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(800);
  const body = 'x'.repeat(4 * 1024 * 1024);
  const receiver = await world.endpoint(
    answers(`${interim}HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
  );

  expect(await postTwice(receiver)).toEqual(acknowledged(2));
  expect(receiver.connectionCount()).toBe(1);
});

it('a connection that the receiver closed is not used', async () => {
  const closed = vi.fn();
  const receiver = await world.endpoint({
    onConnection: (socket) => socket.once('close', closed),
    onData: (socket) => socket.end(ok),
  });

  await receiver.post();
  await expect.poll(() => closed).toHaveBeenCalled();
  const result = await receiver.post();

  expect(result.outcome).toBe('acknowledged');
});

it('a kept connection is closed when a response arrives before a request', async () => {
  const opened: Socket[] = [];
  const closed = vi.fn();
  const receiver = await world.endpoint({
    ...answers(ok),
    onConnection: (socket) => opened.push(socket.once('close', closed)),
  });

  await receiver.postAndSettle();
  opened[0]?.write('HTTP/1.1 299 In advance\r\nContent-Length: 0\r\n\r\n');
  await expect.poll(() => closed).toHaveBeenCalled();
  const result = await receiver.post();

  expect(result.responseStatus).toBe(200);
  expect(receiver.connectionCount()).toBe(2);
});

it('an attempt ends at its deadline when its connection falls silent', async () => {
  const silence = Promise.withResolvers<void>();
  const onData = (socket: Socket, connection: number) => {
    posts(receiver.received[connection]) === 1 ? socket.write(ok) : silence.resolve();
  };
  const receiver = await world.endpoint({ onData }, deployedDeadline);

  await receiver.postAndSettle();
  stopDeadlines();
  const attempt = receiver.post();
  await silence.promise;
  passTime(10_000);
  const result = await attempt;

  expect(result).toMatchObject({
    outcome: 'timed_out',
    error: 'No complete response headers within 10 s',
  });
  expect(receiver.connectionCount()).toBe(1);
});

it.each([
  ['no request is sent when the deadline passes while a kept connection is checked', () => {}],
  ['no new connection is opened when a kept one closes after the deadline has passed', closeIdleConnections],
])('%s', async (_title, then) => {
  let interrupt = () => {};
  const receiver = await world.endpoint(answers(ok), {
    ...deployedDeadline,
    resolve: async () => {
      // After this attempt has begun to check the connection, and before it has taken it.
      setImmediate(() => interrupt());
      return { ok: true, addresses: ['127.0.0.1'] };
    },
  });

  await receiver.postAndSettle();
  stopDeadlines();
  interrupt = () => {
    passTime(10_000);
    then();
  };
  const result = await receiver.post();

  expect(result.outcome).toBe('timed_out');
  expect(receiver.received.map((chunks) => posts(chunks))).toEqual([1]);
});

it('an early response on a kept connection is ignored: the attempt uses a new connection', async () => {
  const { post, answerInAdvance, connectionCount } = await startHastyReceiver();
  const statuses: (number | null)[] = [];
  await post();

  for (let attempt = 0; attempt < 10; attempt += 1) {
    await settled();
    answerInAdvance();
    statuses.push((await post()).responseStatus);
  }

  expect(statuses).toEqual(statuses.map(() => 200));
  expect(connectionCount()).toBe(1 + 10);
});

it('an early response on a new connection fails the attempt', async () => {
  const { post, answerInAdvance } = await startHastyReceiver();
  const { end } = AttemptProgress.prototype;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(AttemptProgress.prototype, 'end').mockImplementation(function (this: AttemptProgress) {
    end.call(this);
    if (this.phase === 'tlsMs') answerInAdvance();
  });

  const results = [];
  for (let attempt = 0; attempt < 10; attempt += 1) results.push(await post());

  for (const result of results) {
    expect(result).toMatchObject({
      outcome: 'invalid_response',
      responseStatus: null,
      error: 'The receiver responded before the request was sent',
    });
  }
});

it('ConnectionPool keeps at most 128 idle connections and forgets closed ones', async () => {
  const receiver = await world.endpoint({ onData: answerTogether(134) });

  await Promise.all(Array.from({ length: 134 }, () => receiver.post()));
  const pool = onlyPool();

  await expect.poll(() => pool.idleCount).toBe(128);
  await receiver.close();
  await expect.poll(() => pool.idleCount).toBe(0);
});

const parsed = parseEndpointUrl('https://example.com/');
if (!parsed.ok) throw new Error(parsed.detail);
const use = { webhookId: 'whe_1', url: parsed.url };

it('ConnectionPool uses the connection that was idle for the shortest time, which its receiver closes last', async () => {
  const pool = new ConnectionPool(() => 0);
  const connections = Array.from({ length: 3 }, () => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    return pool.admit(use, socket);
  });
  for (const connection of connections) pool.keep(connection, null);

  expect(await pool.take(use, ['127.0.0.1'])).toBe(connections[2]);
  expect(await pool.take(use, ['127.0.0.1'])).toBe(connections[1]);
});

it('ConnectionPool closes every connection that waited for too long, also one that was kept after another', () => {
  stopDeadlines();
  let now = 0;
  const pool = new ConnectionPool(() => now);
  const sockets = [new Socket(), new Socket()];
  for (const socket of sockets) {
    pool.keep(pool.admit(use, socket), null);
    now += 500;
    passTime(500);
  }
  const [first, second] = sockets.map(({ destroyed }) => destroyed);
  now += 1_000;
  passTime(1_000);

  expect([first, second, sockets[1]?.destroyed]).toEqual([true, false, true]);
});

/** A receiver that can send what answers no request: over loopback, the bytes arrive before this thread can read them. */
async function startHastyReceiver() {
  let latest: Socket | undefined;
  const receiver = await world.endpoint({
    ...answers(ok),
    tls: { ...world.certificate, maxVersion: 'TLSv1.2' },
    onConnection: (socket) => {
      // Otherwise the kernel holds a second answer back until the first one is acknowledged.
      latest = socket.setNoDelay(true);
    },
  });
  const answerInAdvance = () => latest?.write('HTTP/1.1 299 In advance\r\nContent-Length: 0\r\n\r\n');
  return { ...receiver, answerInAdvance };
}

/** Answers no request before this many have arrived, so that each has its own connection. */
function answerTogether(count: number): (socket: Socket) => void {
  const waiting: Socket[] = [];
  return (socket) => {
    if (waiting.push(socket) < count) return;
    for (const each of waiting.splice(0)) each.write(ok);
  };
}
