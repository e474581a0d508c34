import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { quickWithin, slowAfter } from '#shared/domain/lane.ts';
import type { PostEventDeps } from '#shared/http/post-event.ts';
import type { ResolveHost } from '#shared/http/resolve-host.ts';
import { deadlinesRun, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { ok, originOf, usePostWorld } from '../../support/http/post-world.ts';
import type { RawReceiverOptions } from '../../support/http/raw-receiver.ts';
import { startOfTest } from '../../support/values/builders.ts';

const world = await usePostWorld();

/** Posts to a receiver. The time of timers stands still until the test moves it. */
async function postTo(options: RawReceiverOptions, deps?: Partial<PostEventDeps>) {
  const { port } = await world.receiver(options);
  const onSlow = vi.fn();
  stopDeadlines();
  const request = { webhookId: 'whe_1', url: originOf(port), body: Buffer.from('{}'), onSlow };
  const attempt = world.postEvent(port, deps)({ ...request, headers: async () => ({}) });
  return { attempt, onSlow };
}

const nothing = new Uint8Array();
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';
const hangs: ResolveHost = () => new Promise(() => {});

const closing = (answer: string) => ({ onData: (socket: Socket) => void socket.end(answer) });

it.each<[string, RawReceiverOptions, Partial<PostEventDeps>?]>([
  ['dns_failed', {}, { resolve: async () => ({ ok: false, code: 'ENOTFOUND' }) }],
  ['tls_failed', { tls: undefined, ...closing('no TLS') }],
  ['connection_failed', closing('')],
  ['invalid_response', closing('no HTTP\r\n\r\n')],
  ['acknowledged', closing('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')],
])(
  'no timer outlives an attempt that is %s, which could find its endpoint slow later',
  async (outcome, options, deps) => {
    const { attempt } = await postTo(options, deps);

    const result = await attempt;
    if (typeof result === 'object') await result.ended;

    expect(result).toMatchObject({ outcome });
    expect(vi.getTimerCount()).toBe(0);
  },
);

it.each<[string, RawReceiverOptions, string | Uint8Array, Partial<PostEventDeps>?]>([
  ['its address', {}, nothing, { resolve: hangs }],
  ['the TLS handshake', { tls: undefined }, nothing],
  ['the response', {}, nothing],
  ['the end of the response', {}, head],
])('an endpoint is slow after one second of waiting for %s', async (_wait, options, bytes, deps) => {
  const asked = Promise.withResolvers<void>();
  const onData = (socket: Socket) => {
    socket.write(bytes);
    asked.resolve();
  };
  const { attempt, onSlow } = await postTo({ ...options, onData }, deps);
  if (deps === undefined) await asked.promise;
  if (bytes !== nothing) await attempt;
  // One is the deadline of the attempt.
  await deadlinesRun(2);

  passTime(slowAfter - 1);
  await turns(4);
  const callsBefore = onSlow.mock.calls.length;
  passTime(1);
  await turns(4);

  expect([callsBefore, onSlow.mock.calls.length]).toEqual([0, 1]);
});

it('an endpoint is not slow when this process was too busy to read the response in time', async () => {
  const onData = (socket: Socket) => {
    socket.write(ok);
    passTime(slowAfter);
  };
  const { attempt, onSlow } = await postTo({ onData });

  expect(await attempt).toMatchObject({ outcome: 'acknowledged' });
  await turns(4);
  expect(onSlow).not.toHaveBeenCalled();
});

it('an endpoint answers quickly also behind a name server that drops questions about IPv6', async () => {
  let now = startOfTest;
  const resolve: ResolveHost = async () => {
    now += quickWithin;
    passTime(quickWithin);
    return { ok: true, addresses: ['127.0.0.1'] };
  };
  const onData = (socket: Socket) => {
    now += quickWithin;
    passTime(quickWithin);
    socket.write(ok);
  };
  const { attempt, onSlow } = await postTo({ onData }, { resolve, now: () => now });

  const result = await attempt;

  expect(result).toMatchObject({ durationMs: 2 * quickWithin });
  expect(await (typeof result === 'string' ? result : result.ended)).toBe(quickWithin);
  expect(onSlow).not.toHaveBeenCalled();
});

it('the time of a name server is not time of the endpoint, also when the name has no address', async () => {
  let now = startOfTest;
  const resolve: ResolveHost = async () => {
    now += 5_000;
    return { ok: false, code: 'ENOTFOUND' };
  };
  const { attempt } = await postTo({}, { resolve, now: () => now });

  const result = await attempt;

  expect(result).toMatchObject({ outcome: 'dns_failed', durationMs: 5_000 });
  expect(await (typeof result === 'string' ? result : result.ended)).toBe(0);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}
