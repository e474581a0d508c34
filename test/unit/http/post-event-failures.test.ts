import { expect, it, vi } from 'vitest';
import type { ResolveHost } from '#shared/http/resolve-host.ts';
import { deployedDeadline, hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { answers, ok, post, resolvesTo, usePostWorld } from '../../support/http/post-world.ts';

const world = await usePostWorld();

it('an attempt says that the receiver refused the connection', async () => {
  const { close, post } = await world.endpoint({});
  await close();

  expect(await post()).toMatchObject({
    outcome: 'connection_failed',
    responseStatus: null,
    error: 'The receiver refused the connection',
    timings: { dnsMs: expect.any(Number), connectMs: null, tlsMs: null, firstByteMs: null },
  });
});

it('an attempt tries the next address when one is unreachable', async () => {
  const { post } = await world.endpoint(answers(ok), { resolve: resolvesTo('127.0.0.2', '127.0.0.1') });

  expect((await post()).outcome).toBe('acknowledged');
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

const { deadlineMs } = deployedDeadline;

it('the deadline ends a DNS lookup, and no connection is opened when it responds too late', async () => {
  const lookups = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const waiting = lookups.values();
  const resolve: ResolveHost = async (name, signal) => {
    await waiting.next().value?.promise;
    return resolvesTo('127.0.0.1')(name, signal);
  };
  const receiver = await world.endpoint(answers(ok), { ...deployedDeadline, resolve });
  stopDeadlines();

  const attempt = receiver.post();
  passTime(deadlineMs);
  const result = await attempt;
  for (const lookup of lookups) lookup.resolve();
  const next = await receiver.post();

  expect(result).toMatchObject({
    outcome: 'timed_out',
    error: 'No answer from DNS within 10 s',
    timings: { dnsMs: null },
  });
  expect(next.outcome).toBe('acknowledged');
  expect(receiver.connectionCount()).toBe(1);
});

it('the deadline covers all phases together, and closes the connection', async () => {
  const lookup = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const resolve: ResolveHost = async (name, signal) => {
    await lookup.promise;
    return resolvesTo('127.0.0.1')(name, signal);
  };
  const receiver = await world.endpoint({ onData: () => asked.resolve() }, { ...deployedDeadline, resolve });
  stopDeadlines();

  const attempt = receiver.post();
  passTime(6_000);
  lookup.resolve();
  await asked.promise;
  passTime(deadlineMs - 6_001);
  const endedBefore = await hasEnded(attempt);
  passTime(1);

  expect(endedBefore).toBe(false);
  expect(await attempt).toMatchObject({
    outcome: 'timed_out',
    error: 'No complete response headers within 10 s',
  });
  vi.useRealTimers();
  await expect.poll(() => receiver.openCount()).toBe(0);
});
