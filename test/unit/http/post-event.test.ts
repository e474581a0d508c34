import type { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import type { ResolveHost } from '#shared/http/resolve-host.ts';
import { deployedDeadline, hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { answers, hostname, ok, originOf, usePostWorld } from '../../support/http/post-world.ts';
import { createClock } from '../../support/operations/deps.ts';
import { startOfTest } from '../../support/values/builders.ts';

const world = await usePostWorld();

it('a receiver gets the bytes of the body and the headers unchanged', async () => {
  const receiver = await world.receiver(answers(ok));
  const body = Buffer.from([0, 255, 13, 10, 0xc3, 0x28, 34]);

  await world.client(receiver.port)({
    webhookId: 'whe_1',
    url: `${originOf(receiver.port)}/hook?a=1`,
    headers: { 'Content-Type': 'application/json', 'X-Service-Signature': 't=1,v1=ab' },
    body,
  });

  const bytes = Buffer.concat(receiver.received[0] ?? []);
  const end = bytes.indexOf('\r\n\r\n');
  expect(bytes.subarray(end + 4)).toEqual(body);
  expect(bytes.subarray(0, end).toString('latin1').split('\r\n')).toEqual([
    'POST /hook?a=1 HTTP/1.1',
    `Host: ${hostname}:${receiver.port}`,
    'Content-Type: application/json',
    'X-Service-Signature: t=1,v1=ab',
    'Accept: */*',
    'Accept-Encoding: identity',
    'Content-Length: 7',
    'Connection: keep-alive',
  ]);
});

it('a receiver gets the name of the host in the TLS handshake', async () => {
  const seen: unknown[] = [];
  const { post } = await world.endpoint({
    ...answers(ok),
    onConnection: (socket) => seen.push('servername' in socket ? socket.servername : undefined),
  });

  await post();

  expect(seen).toEqual([hostname]);
});

it('an attempt rejects a header that would break the request', async () => {
  const { client, port, received } = await world.endpoint(answers(ok));
  const attempt = client({
    webhookId: 'whe_1',
    url: originOf(port),
    headers: { 'X-A': 'a\r\nX-B: b' },
    body: Buffer.from('{}'),
  });

  await expect(attempt).rejects.toThrow(/Invalid character/);
  expect(received.flat()).toEqual([]);
});

it.each([
  ...[200, 201, 204, 299].map((status) => [status, 'acknowledged', null] as const),
  ...[300, 301, 303, 304, 400, 401, 410, 429, 500, 503, 999].map(
    (status) => [status, 'rejected', `The receiver responded with status ${status}`] as const,
  ),
])('a response with the status %i is %s', async (status, outcome, error) => {
  const { post } = await world.endpoint(answers(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));

  expect(await post()).toMatchObject({ outcome, responseStatus: status, error });
});

it.each([
  [403, 'cf-mitigated: challenge', true],
  [503, 'CF-Mitigated:CHALLENGE ', true],
  [429, 'x-vercel-mitigated: challenge', true],
  [405, 'x-amzn-waf-action: captcha', true],
  [403, 'x-amzn-waf-action: challenge', true],
  [403, 'x-vercel-mitigated: deny', false],
  [403, 'cf-mitigated: no challenge', false],
  [403, 'Server: challenge', false],
])('a response with the status %i and %j is called a challenge: %s', async (status, header, isCalledSo) => {
  const { post } = await world.endpoint(answers(`HTTP/1.1 ${status} X\r\n${header}\r\nContent-Length: 0\r\n\r\n`));

  const error = `The receiver responded with status ${status}${isCalledSo ? ' and a challenge for browsers' : ''}`;
  expect(await post()).toMatchObject({ outcome: 'rejected', responseStatus: status, error });
});

it('a 2xx acknowledges, whatever its headers say', async () => {
  const head = 'HTTP/1.1 202 Accepted\r\nx-amzn-waf-action: challenge\r\nContent-Length: 0\r\n\r\n';
  const { post } = await world.endpoint(answers(head));

  expect(await post()).toMatchObject({ outcome: 'acknowledged', responseStatus: 202, error: null });
});

it('the rest of a response is read to its end, and the result does not wait for it', async () => {
  const opened = Promise.withResolvers<Socket>();
  const { client, port } = await world.endpoint({
    onConnection: opened.resolve,
    ...answers('HTTP/1.1 200 OK\r\n\r\n'),
  });

  const result = await client({
    webhookId: 'whe_1',
    url: originOf(port),
    headers: {},
    body: Buffer.from('{}'),
  });
  const socket = await opened.promise;
  const wereRead = await new Promise((resolve) => socket.write(Buffer.alloc(4 * 1024 * 1024), () => resolve(true)));
  const endedBefore = await hasEnded(result.ended);
  socket.end();

  expect(result).toMatchObject({ outcome: 'acknowledged', responseStatus: 200 });
  expect([wereRead, endedBefore]).toEqual([true, false]);
  await expect(result.ended).resolves.toBe(0);
});

it('a response that goes on is read until the time of the attempt is over, and then its connection is closed', async () => {
  const closed = vi.fn();
  const { client, port, openCount } = await world.endpoint(
    { onConnection: (socket) => socket.once('close', closed), ...answers('HTTP/1.1 200 OK\r\n\r\nx') },
    deployedDeadline,
  );
  stopDeadlines();

  const result = await client({
    webhookId: 'whe_1',
    url: originOf(port),
    headers: {},
    body: Buffer.from('{}'),
  });
  passTime(attemptTimeout - 1);
  const endedBefore = await hasEnded(result.ended);
  const openBefore = openCount();
  passTime(1);
  await result.ended;
  vi.useRealTimers();

  expect(result).toMatchObject({ outcome: 'acknowledged' });
  expect([endedBefore, openBefore]).toEqual([false, 1]);
  await expect.poll(() => closed).toHaveBeenCalled();
});

it('a 2xx that came in time acknowledges although this process was too busy to read it', async () => {
  const onData = (socket: Socket) => {
    socket.write(ok);
    passTime(attemptTimeout);
  };
  const { post } = await world.endpoint({ onData }, deployedDeadline);
  stopDeadlines();

  expect(await post()).toMatchObject({ outcome: 'acknowledged' });
});

it('a 2xx that comes before the request was read acknowledges', async () => {
  const { client, port } = await world.endpoint({
    onConnection: (socket) => socket.pause().write('HTTP/1.1 202 Early\r\nContent-Length: 0\r\n\r\n'),
  });
  const body = Buffer.alloc(8 * 1024 * 1024);

  const result = await client({ webhookId: 'whe_1', url: originOf(port), headers: {}, body });

  expect(result).toMatchObject({ outcome: 'acknowledged', responseStatus: 202 });
});

it('timings have every phase of a first attempt, and only the needed phases of the next one', async () => {
  let time = 1_000_000;
  const onData = (socket: Socket) => {
    time += 60;
    socket.write(ok);
  };
  const resolve: ResolveHost = async () => {
    time += 5;
    return { ok: true, addresses: ['127.0.0.1'] };
  };
  const { post, postAndSettle } = await world.endpoint({ onData }, { now: () => time, resolve });

  const results = [await postAndSettle(), await post()];

  expect(results.map(({ durationMs, timings }) => ({ durationMs, ...timings }))).toEqual([
    { durationMs: 65, dnsMs: 5, connectMs: 0, tlsMs: 0, firstByteMs: 60 },
    { durationMs: 65, dnsMs: 5, connectMs: null, tlsMs: null, firstByteMs: 60 },
  ]);
});

it('AttemptProgress measures no negative time when the clock is set back', () => {
  const clock = createClock(startOfTest);
  const progress = new AttemptProgress(clock.now);

  progress.begin('dnsMs');
  clock.pass(-3_600_000);
  progress.end();

  expect(progress.timings.dnsMs).toBe(0);
  expect(progress.durationMs).toBe(0);
});
