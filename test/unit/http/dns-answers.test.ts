import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { parseIpAddress } from '#shared/domain/ip-address.ts';
import { createResolveHost } from '#shared/http/resolve-host.ts';
import { hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { type NameServer, type NameServerAnswer, startNameServer } from '../../support/http/name-server.ts';

/**
 * What a name server says to each question about a family in turn, the last answer again and again, and the result:
 * addresses or a code, after that many milliseconds.
 */
const vector = z.object({
  name: z.string(),
  a: z.array(z.string()),
  aaaa: z.array(z.string()),
  addresses: z.array(z.string()).optional(),
  code: z.string().optional(),
  within: z.number(),
});
const vectors = z
  .array(vector)
  .parse(JSON.parse(readFileSync(new URL('../../vectors/dns-answers.json', import.meta.url), 'utf8')));

let server: NameServer | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
});

it.each(vectors)('a name server with $name', async ({ a, aaaa, addresses, code, within }) => {
  stopDeadlines();
  const asked = { A: 0, AAAA: 0 };
  server = await startNameServer(async (question) => {
    const family = question.startsWith('AAAA') ? 'AAAA' : 'A';
    const answers = family === 'A' ? a : aaaa;
    asked[family] += 1;
    return answerOf(answers[Math.min(asked[family], answers.length) - 1] ?? '');
  });
  const resolve = createResolveHost({ trustedOrigins: new Set(), servers: [server.address] });

  const lookup = resolve('example.com', new AbortController().signal);
  const took = await passUntilEnded(lookup);

  expect(await lookup).toEqual(addresses === undefined ? { ok: false, code } : { ok: true, addresses });
  expect(took).toBe(within);
  const askedInTime = { ...asked };
  for (let passed = 0; passed < 1_000; passed += 100) await pass();
  expect(asked).toEqual(askedInTime);
});

/** `after 400: 8.8.8.8` is an answer that comes late. */
async function answerOf(text: string): Promise<NameServerAnswer> {
  const [, delay, late] = /^after (\d+): (.*)$/.exec(text) ?? [];
  if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, Number(delay)));
  const answer = late ?? text;
  if (answer === 'silence' || answer === 'servfail' || answer === 'refused') return answer;
  if (answer === 'notimp' || answer === 'nxdomain') return answer;
  return answer
    .split(' ')
    .flatMap((address) => [[...(parseIpAddress(address) ?? [])]].filter((bytes) => bytes.length > 0));
}

/** @returns milliseconds */
async function passUntilEnded(lookup: Promise<unknown>): Promise<number> {
  await everythingArrives();
  for (let passed = 0; ; passed += 100) {
    if (await hasEnded(lookup)) return passed;
    await pass();
  }
}

async function pass(): Promise<void> {
  passTime(100);
  await everythingArrives();
}

/** Waits for what is on its way over loopback. */
async function everythingArrives(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}
