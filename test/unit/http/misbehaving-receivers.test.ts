import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { PostResult } from '#shared/domain/attempt.ts';
import { deployedDeadline, hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import {
  answers,
  createPostWorld,
  drip,
  endless,
  hostname,
  ok,
  originOf,
  post,
  posts,
} from '../../support/http/post-world.ts';
import type { RawReceiverOptions } from '../../support/http/raw-receiver.ts';

const world = await createPostWorld();
const good = await world.receiver(answers(ok));

afterEach(() => {
  vi.useRealTimers();
});

afterAll(() => world.close());

type Expected = Pick<PostResult, 'outcome' | 'responseStatus'> & { readonly error: RegExp | null };
type Case = readonly [name: string, behaviour: RawReceiverOptions, expected: Expected];

const acknowledged = (responseStatus: number): Expected => ({
  outcome: 'acknowledged',
  responseStatus,
  error: null,
});
const rejected = (responseStatus: number): Expected => ({
  outcome: 'rejected',
  responseStatus,
  error: new RegExp(`^The receiver responded with status ${responseStatus}$`),
});
const failed = (outcome: PostResult['outcome'], error: RegExp): Expected => ({
  outcome,
  responseStatus: null,
  error,
});
const tooLong = failed('invalid_response', /^The response headers are larger than 64 KiB$/);
const lost = failed('connection_failed', /^The connection was lost before the response headers/);
const tooLate = failed('timed_out', /^No complete response headers within 10 s$/);
const stuckInTls = failed('timed_out', /^No complete TLS handshake within 10 s$/);

const head = (status: string, ...headers: readonly string[]) => [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');

const body = (encoding: string, bytes: Uint8Array): RawReceiverOptions => ({
  onData: (socket) => {
    socket.write(head('200 OK', `Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`));
    socket.write(bytes);
  },
});
const zeros = Buffer.alloc(10 * 1024 * 1024);
const kib16 = 'x'.repeat(16 * 1024);

const bodies: readonly Case[] = [
  ['an endless body', endless(head('200 OK'), kib16), acknowledged(200)],
  [
    'a body of endless chunks',
    endless(head('200 OK', 'Transfer-Encoding: chunked'), `4000\r\n${kib16}\r\n`),
    acknowledged(200),
  ],
  [
    'chunks that are mostly extensions',
    endless(head('200 OK', 'Transfer-Encoding: chunked'), `1;${'x'.repeat(16_000)}\r\nx\r\n`),
    acknowledged(200),
  ],
  ['an endless body of a failure', endless(head('500 X'), kib16), rejected(500)],
  [
    'a body that drips',
    {
      onData: (socket) => {
        socket.write(head('200 OK', 'Content-Length: 99'));
        drip('x'.repeat(99))(socket);
      },
    },
    acknowledged(200),
  ],
  ['a gzip bomb', body('gzip', gzipSync(zeros)), acknowledged(200)],
  ['a brotli bomb', body('br', brotliCompressSync(zeros)), acknowledged(200)],
  ['a bomb in a bomb', body('gzip, gzip, br', gzipSync(gzipSync(zeros))), acknowledged(200)],
];

const heads: readonly Case[] = [
  ['12,000 headers', answers(head('200 OK', ...Array<string>(12_000).fill('A: b'))), tooLong],
  ['headers without end', endless('HTTP/1.1 200 OK\r\n', `X-A: ${'x'.repeat(99)}\r\n`), tooLong],
  ['a reason of 1 MB', answers(head(`500 ${'x'.repeat(1024 * 1024)}`)), tooLong],
  ['line ends without end', endless('', '\r\n'.repeat(8_000)), tooLong],
];

const timing: readonly Case[] = [
  ['a storm of 103', endless('', head('103 X').repeat(500)), tooLong],
  ['a storm of 100', endless('', head('100 Continue').repeat(500)), tooLong],
  ['a storm of 103 with long heads', endless('', head('103 X', `A: ${'x'.repeat(9_000)}`)), tooLong],
  ['an answer before the request', { onConnection: (socket) => socket.pause().end(head('202 X')) }, acknowledged(202)],
];

/** They report when they received input and when they sent another byte. Dripping lasts for minutes. */
const late: readonly (readonly [
  name: string,
  behaviour: (note: () => void) => RawReceiverOptions,
  drips: boolean,
  expected: Expected,
])[] = [
  ['silence', (note) => ({ onData: note }), false, tooLate],
  [
    'a head that drips',
    (note) => ({ onData: drip(`HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(9_000)}`, 1, note) }),
    true,
    tooLate,
  ],
  ['interim answers that drip', (note) => ({ onData: drip(head('103 X'), 1_000, note) }), true, tooLate],
  ['no handshake', (note) => ({ tls: undefined, onData: note }), false, stuckInTls],
];

describe.concurrent.each<readonly [string, readonly Case[]]>([
  ['with the body', bodies],
  ['with the head', heads],
  ['with time', timing],
])('a receiver that misbehaves %s', (_subject, cases) => {
  it.each(cases)(
    'a misbehaving receiver (%s) gets one attempt, and its neighbours get theirs',
    async (_case, behaviour, expected) => {
      const bad = await world.receiver(behaviour);
      const trustedOrigins = new Set([originOf(bad.port), originOf(good.port)]);
      const client = world.client(bad.port, { trustedOrigins });

      const [result, ...neighbours] = await Promise.all([
        post(client, bad.port),
        ...Array.from({ length: 3 }, () => post(client, good.port)),
      ]);
      const next = await post(client, good.port);

      expectResult(result, expected);
      expect([...neighbours, next].map(({ outcome }) => outcome)).toEqual(Array(4).fill('acknowledged'));
      expect(bad.connectionCount()).toBe(1);
      expect(bad.received.flatMap((chunks) => posts(chunks)).every((count) => count <= 1)).toBe(true);
    },
  );
});

it.each(late)(
  'a slow receiver (%s) gets one failed attempt after ten seconds, and its neighbours get theirs earlier',
  async (_case, behaviour, drips, expected) => {
    let waits = Promise.withResolvers<void>();
    const bad = await world.receiver(behaviour(() => waits.resolve()));
    const trustedOrigins = new Set([originOf(bad.port), originOf(good.port)]);
    let now = 1_000_000;
    const client = world.client(bad.port, { ...deployedDeadline, trustedOrigins, now: () => now });
    stopDeadlines();

    const attempt = post(client, bad.port);
    const neighbours = await Promise.all(Array.from({ length: 3 }, () => post(client, good.port)));
    await waits.promise;
    passTime(deployedDeadline.deadlineMs - 1);
    const endedBefore = await hasEnded(attempt);
    waits = Promise.withResolvers();
    const next = await post(client, good.port);
    // Another byte would restart the silence timeout.
    if (drips) await waits.promise;
    now += deployedDeadline.deadlineMs;
    passTime(1);
    const result = await attempt;

    expect(endedBefore).toBe(false);
    expectResult(result, expected);
    expect(result.durationMs).toBe(deployedDeadline.deadlineMs);
    expect([...neighbours, next].map(({ outcome }) => outcome)).toEqual(Array(4).fill('acknowledged'));
    expect(bad.connectionCount()).toBe(1);
    expect(bad.received.map((chunks) => posts(chunks))).toEqual([expected === tooLate ? 1 : 0]);
  },
);

describe('a connection that is reset', () => {
  it.each<readonly [string, string, Expected]>([
    ['before the head', '', lost],
    ['within the head', 'HTTP/1.1 200 OK\r\nContent-', lost],
  ])('%s', async (_case, bytes, expected) => {
    const receiver = await world.receiver({
      onData: (socket) => socket.write(bytes, () => receiver.reset()),
    });

    const result = await post(world.client(receiver.port), receiver.port);

    expectResult(result, expected);
  });

  it.each<readonly [string, string, Expected]>([
    ['within the body, after the head', head('200 OK', 'Content-Length: 10'), acknowledged(200)],
    ['within the body of a failure', head('503 X', 'Content-Length: 10'), rejected(503)],
  ])('%s', async (_case, bytes, expected) => {
    const closed = vi.fn();
    const receiver = await world.receiver({
      onConnection: (socket) => socket.once('close', closed),
      onData: (socket) => socket.write(bytes),
    });
    const client = world.client(receiver.port);

    // A reset discards unread input, so it comes after the headers were read.
    const result = await post(client, receiver.port);
    receiver.reset();
    await expect.poll(() => closed).toHaveBeenCalledTimes(1);
    const next = await post(client, receiver.port);

    for (const each of [result, next]) expectResult(each, expected);
    expect(receiver.connectionCount()).toBe(2);
  });
});

it('an attempt follows no redirect, and forgets cookies, strict transport and alternative services', async () => {
  const other = await world.receiver(answers(ok));
  const wishes = [
    'Set-Cookie: a=b; Domain=example.com',
    'Strict-Transport-Security: max-age=99999; includeSubDomains',
    `Alt-Svc: h2="${hostname}:${other.port}", h3=":${other.port}"`,
    `Location: ${originOf(other.port)}/`,
    `Refresh: 0; url=${originOf(other.port)}`,
    `Link: <${originOf(other.port)}>; rel=preload`,
    'Content-Length: 0',
  ];
  const receiver = await world.receiver(answers(head('307 X', ...wishes)));
  const trustedOrigins = new Set([originOf(receiver.port), originOf(other.port)]);
  const client = world.client(receiver.port, { trustedOrigins });

  const results = [await post(client, receiver.port), await post(client, receiver.port)];

  expect(results.map(({ outcome }) => outcome)).toEqual(['rejected', 'rejected']);
  const [first = '', second] = Buffer.concat(receiver.received.flat())
    .toString()
    .split(/(?=POST )/);
  expect(second).toBe(first);
  expect(second).not.toMatch(/cookie/i);
  expect(other.connectionCount()).toBe(0);
});

/** The customer sees one fixed sentence, and no address of this machine. */
function expectResult(result: PostResult, expected: Expected): void {
  const error = expected.error === null ? null : expect.stringMatching(expected.error);
  expect(result).toMatchObject({ ...expected, error });
  if (error !== null) expect(result.error).toMatch(/^(?!.*(?:127\.0|localhost|:\d))[A-Z][ -~]{9,198}[^.]$/);
}
