import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { answers, createPostWorld, endless, noDeadline, originOf } from '../../support/http/post-world.ts';
import type { PostingFigures, PostingPlan } from '../../support/http/posting-process.ts';
import type { RawReceiverOptions } from '../../support/http/raw-receiver.ts';

const program = fileURLToPath(new URL('../../support/http/posting-process.ts', import.meta.url));
const kib = 1024;
const mib = 1024 * kib;
const kib16 = 'x'.repeat(16 * kib);

/** The limit of response headers, plus two chunks of a socket that may have arrived before the limit took effect. */
const mostHead = (64 + 2 * 64) * kib;

const world = await createPostWorld();
const dir = await mkdtemp(join(tmpdir(), 'posting-'));
await writeFile(join(dir, 'ca.pem'), world.authority.ca);

afterAll(async () => {
  await world.close();
  await rm(dir, { recursive: true });
});

/** Ends a test that hangs. Milliseconds: a busy machine takes a minute and more. */
const timeLimit = 180_000;

/** Posts from a separate process with 64 MiB for all its objects, of which nothing may be left. */
async function runPosting(plan: Omit<PostingPlan, 'deadlineMs'>, deadlineMs = noDeadline): Promise<PostingFigures> {
  const flags = ['--max-old-space-size=64', '--expose-gc', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, program, JSON.stringify({ ...plan, deadlineMs })],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem') },
      timeout: timeLimit,
    },
  );
  const figures: PostingFigures = JSON.parse(stdout);
  expect(figures.left).toEqual([]);
  return figures;
}

const bomb = gzipSync(Buffer.alloc(12 * mib));
const ok = 'HTTP/1.1 200 OK\r\n';

it.each<readonly [string, RawReceiverOptions, string]>([
  ['endless headers', endless(ok, `X-A: ${'x'.repeat(99)}\r\n`), 'invalid_response'],
  ['an endless header', endless(`${ok}X-A: `, kib16), 'invalid_response'],
  ['endless line ends', endless('', '\r\n'.repeat(8 * kib)), 'invalid_response'],
  ['endless interim answers', endless('', 'HTTP/1.1 103 X\r\n\r\n'.repeat(900)), 'invalid_response'],
  [
    'a gzip bomb that is read whole',
    {
      onData: (socket) => {
        const length = `Content-Length: ${bomb.length}\r\nKeep-Alive: timeout=2\r\n`;
        socket.write(`${ok}Content-Encoding: gzip\r\n${length}\r\n`);
        socket.write(bomb);
      },
    },
    'acknowledged',
  ],
])('memory of 200 posts is bounded for %s', { timeout: timeLimit }, async (_case, receiver, outcome) => {
  const { port } = await world.receiver(receiver);

  const figures = await runPosting({ urls: [originOf(port)], posts: 200, atOnce: 10 });

  expect(figures.outcomes).toEqual({ [outcome]: 200 });
  expect(figures.totalBytesRead).toBeGreaterThan(200 * 10 * kib);
  expect(figures.totalBytesRead).toBeLessThan(200 * mostHead);
  expect(figures.heapGrowth).toBeLessThan(8 * mib);
  expect(figures.hasDecompressor).toBe(false);
});

/** Milliseconds until which a body without an end is read. A busy machine needs some for the head. */
const readFor = 5_000;
/** The pace of reading, 512 KiB in 100 ms, and what has arrived at the end. */
const mostBody = (readFor / 100 + 2) * 512 * kib;

it.each<readonly [string, RawReceiverOptions]>([
  ['an endless body', endless(`${ok}\r\n`, kib16)],
  [
    'chunks that are mostly extensions',
    endless(`${ok}Transfer-Encoding: chunked\r\n\r\n`, `1;${'x'.repeat(16_000)}\r\nx\r\n`),
  ],
  ['an endless gzip bomb', endless(`${ok}Content-Encoding: gzip\r\n\r\n`, bomb)],
])('memory of 15 posts is bounded for %s', { timeout: timeLimit }, async (_case, receiver) => {
  const { port } = await world.receiver(receiver);

  const figures = await runPosting({ urls: [originOf(port)], posts: 15, atOnce: 5 }, readFor);

  expect(figures.outcomes).toEqual({ acknowledged: 15 });
  expect(figures.totalBytesRead).toBeGreaterThan(15 * 10 * kib);
  expect(figures.totalBytesRead).toBeLessThan(15 * mostBody);
  expect(figures.heapGrowth).toBeLessThan(8 * mib);
  expect(figures.hasDecompressor).toBe(false);
});

describe('a warm process', { timeout: timeLimit }, () => {
  // The client closes a connection a second before its receiver would.
  const shortlyKept = `${ok}Keep-Alive: timeout=2\r\nContent-Length: 0\r\n\r\n`;

  it('a warm process keeps at most 128 connections for any number of hosts, and none for long', async () => {
    const tls = await world.authority.issue({ dns: ['*.example.com'] });
    const hosts = 160;
    // All are answered when the last request has arrived: idle connections are closed after seconds.
    const waiting: Socket[] = [];
    const { port } = await world.receiver({
      tls,
      onData: (socket) => {
        if (waiting.push(socket) < hosts) return;
        for (const each of waiting.splice(0)) each.write(`${ok}Content-Length: 0\r\n\r\n`);
      },
    });
    const urls = Array.from({ length: hosts }, (_, index) => `https://host-${index}.example.com:${port}/`);

    const figures = await runPosting({ urls, posts: 2 * hosts, atOnce: hosts });

    expect(figures.outcomes).toEqual({ acknowledged: 320 });
    expect(figures.maxIdle).toBe(128);
    expect(figures.heapGrowth).toBeLessThan(16 * mib);
  });

  it('a warm process keeps no memory of the attempts on a reused connection', async () => {
    const { port } = await world.receiver(answers(shortlyKept));

    const figures = await runPosting({ urls: [originOf(port)], posts: 1_000, atOnce: 10 });

    expect(figures.outcomes).toEqual({ acknowledged: 1_000 });
    expect(figures.maxIdle).toBeLessThanOrEqual(10);
    // A hundred attempts on each connection: a leak of one attempt would show a hundred times.
    expect(figures.maxListeners).toBeLessThan(40);
    expect(figures.heapGrowth).toBeLessThan(8 * mib);
  });

  it('a warm process keeps no memory of attempts that failed before they connected', async () => {
    const refusing = await world.receiver({});
    await refusing.close();

    const figures = await runPosting({ urls: [originOf(refusing.port)], posts: 120, atOnce: 60 });

    expect(figures.outcomes).toEqual({ connection_failed: 120 });
    expect(figures.heapGrowth).toBeLessThan(8 * mib);
  });

  it('a warm process keeps no memory of attempts that missed their deadline', async () => {
    const silent = await world.receiver({});
    const noTls = await world.receiver({ tls: undefined });
    const urls = [silent.port, noTls.port].map(originOf);

    const figures = await runPosting({ urls, posts: 120, atOnce: 60 }, 1_500);

    expect(figures.outcomes).toEqual({ timed_out: 120 });
    expect(figures.heapGrowth).toBeLessThan(8 * mib);
  });
});
