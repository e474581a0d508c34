import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { readingLasts } from '#shared/domain/endpoint.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import type { PostEventDeps } from '#shared/http/post-event.ts';
import type { PostEvent } from '#shared/operations/ports.ts';
import { deployedDeadline } from '../../support/http/attempt-clock.ts';
import { answers, ok, originOf, settled, usePostWorld } from '../../support/http/post-world.ts';
import { webhookId } from '../../support/values/builders.ts';

const world = await usePostWorld();
const given = { 'X-Service-Event-Id': 'evt_1' };
type HeadersOf = Parameters<PostEvent>[0]['headers'];

/** A client of one receiver, which asks for the headers of each attempt. */
function clientOf(port: number, deps: Partial<PostEventDeps> = {}) {
  const postEvent = world.postEvent(port, deps);
  return (headers: HeadersOf) =>
    postEvent({ webhookId, url: `${originOf(port)}/hook`, headers, body: Buffer.from('{}') });
}

it('an attempt asks for its headers once connected, before it sends anything, and again as often as they take time', async () => {
  const receiver = await world.receiver(answers(ok));
  const seen: unknown[] = [];

  const result = await clientOf(receiver.port)(async () => {
    if (seen.length < 5) await nextTurn();
    seen.push({ connections: receiver.connectionCount(), requests: receiver.received.flat().length });
    return given;
  });

  const untouched = { connections: 1, requests: 0 };
  expect(seen).toEqual(Array(6).fill(untouched));
  expect(result).toMatchObject({ outcome: 'acknowledged' });
  expect(Buffer.concat(receiver.received.flat()).toString()).toContain('X-Service-Event-Id: evt_1');
});

it('an attempt asks for its headers only if it can connect', async () => {
  const client = clientOf(1234, { resolve: async () => ({ ok: false, code: 'ENOTFOUND' }) });

  const result = await client(() => Promise.reject(new Error('The test did not expect this to be asked')));

  expect(result).toMatchObject({ outcome: 'dns_failed' });
});

it.each(['endpoint_deleted', 'endpoint_unread'] as const)(
  'an attempt sends nothing if its headers are %s',
  async (why) => {
    const receiver = await world.receiver(answers(ok));

    expect(await clientOf(receiver.port)(async () => why)).toBe(why);
    await expect.poll(() => receiver.openCount()).toBe(0);
    expect(receiver.received.flat()).toEqual([]);
  },
);

it.each(['endpoint_deleted', 'endpoint_unread'] as const)(
  'an attempt opens no connection if it may not: %s',
  async (why) => {
    const receiver = await world.receiver(answers(ok));
    const url = `${originOf(receiver.port)}/hook`;
    const request = { webhookId, url, headers: async () => given, body: Buffer.from('{}') };

    expect(await world.postEvent(receiver.port)({ ...request, mayConnect: async () => why })).toBe(why);
    expect(receiver.connectionCount()).toBe(0);
  },
);

it('an attempt asks whether it may connect only before it opens a connection', async () => {
  const receiver = await world.receiver(answers(ok));
  const postEvent = world.postEvent(receiver.port);
  const url = `${originOf(receiver.port)}/hook`;
  const asked: number[] = [];
  const mayConnect = async () => {
    asked.push(receiver.connectionCount());
    return null;
  };
  for (const _ of [1, 2]) {
    await postEvent({ webhookId, url, mayConnect, headers: async () => given, body: Buffer.from('{}') });
    await settled();
  }

  expect([asked, receiver.received.flat().length]).toEqual([[0], 2]);
});

it.each([
  { took: readingLasts, end: { outcome: 'timed_out' } },
  { took: readingLasts + 1, end: 'endpoint_unread' },
])('an attempt whose time ends while it asks to connect opens no connection: $took ms', async ({ took, end }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const receiver = await world.receiver(answers(ok));
  let time = 0;
  const mayConnect = async () => {
    vi.advanceTimersByTime(attemptTimeout);
    time += took;
    return null;
  };
  const url = `${originOf(receiver.port)}/hook`;

  const result = await world.postEvent(receiver.port, { ...deployedDeadline, now: () => time })({
    webhookId,
    url,
    mayConnect,
    headers: async () => given,
    body: Buffer.from('{}'),
  });

  expect(result).toEqual(typeof end === 'string' ? end : expect.objectContaining(end));
  expect(receiver.connectionCount()).toBe(0);
});

it('an attempt rethrows a failure of its headers and sends nothing', async () => {
  const receiver = await world.receiver(answers(ok));
  const fault = new Error('table is down');

  await expect(clientOf(receiver.port)(() => Promise.reject(fault))).rejects.toBe(fault);
  await expect.poll(() => receiver.openCount()).toBe(0);
  expect(receiver.received.flat()).toEqual([]);
});

it('an attempt ignores a response that arrives while its headers are awaited', async () => {
  const spoken = Promise.withResolvers<unknown>();
  const receiver = await world.receiver({
    onConnection: (socket) => void socket.write(ok, spoken.resolve),
  });
  let asked = 0;

  const result = await clientOf(receiver.port)(async () => {
    asked += 1;
    if (asked === 1) await spoken.promise.then(() => nextTurn());
    return given;
  });

  expect(result).toMatchObject({ outcome: 'invalid_response', responseStatus: null });
  expect(receiver.received.flat()).toEqual([]);
});

it.each<[string, (socket: Socket) => void]>([
  ['ends', (socket) => socket.end()],
  ['ends abruptly', (socket) => socket.destroy()],
])('an attempt fails when its connection %s while its headers are awaited', async (_case, onConnection) => {
  const receiver = await world.receiver({ onConnection });
  let asked = 0;

  const result = await clientOf(receiver.port)(async () => {
    asked += 1;
    if (asked === 1) await settled().then(() => nextTurn());
    return given;
  });

  expect(result).toMatchObject({ outcome: 'connection_failed', responseStatus: null });
  expect(receiver.received.flat()).toEqual([]);
});

it('no other attempt gets a kept connection while headers are awaited', async () => {
  const receiver = await world.receiver(answers(ok));
  const client = clientOf(receiver.port);
  await client(async () => given);
  await settled();
  const gate = Promise.withResolvers<typeof given>();

  const both = [client(() => gate.promise), client(() => gate.promise)];
  gate.resolve(given);

  expect(await Promise.all(both)).toMatchObject([{ outcome: 'acknowledged' }, { outcome: 'acknowledged' }]);
  expect(receiver.connectionCount()).toBe(2);
});

it('a kept connection that became too old while headers were awaited is not used', async () => {
  const receiver = await world.receiver(answers(ok));
  let time = 0;
  const client = clientOf(receiver.port, { now: () => time });
  await client(async () => given);
  await settled();

  const result = await client(async () => {
    time += 4_000;
    return given;
  });

  expect(result).toMatchObject({ outcome: 'acknowledged' });
  expect(receiver.received.map((chunks) => chunks.length)).toEqual([1, 1]);
});

it.each([
  { took: readingLasts, end: { outcome: 'timed_out' } },
  { took: readingLasts + 1, end: 'endpoint_unread' },
])(
  'a missed deadline counts against the receiver only if the headers took no longer than allowed: $took ms',
  async ({ took, end }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const receiver = await world.receiver(answers(ok));
    let time = 0;

    const result = await clientOf(receiver.port, { ...deployedDeadline, now: () => time })(async () => {
      await nextTurn();
      vi.advanceTimersByTime(attemptTimeout);
      time += took;
      return given;
    });

    expect(result).toEqual(typeof end === 'string' ? end : expect.objectContaining(end));
    expect(receiver.received.flat()).toEqual([]);
  },
);
