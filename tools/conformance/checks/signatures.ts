import { type Check, checkOf, checksOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { textAt } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import { nth } from '../scenarios/endpoint.ts';
import { allPosts, mainEndpoint, replays, rotation } from '../scenarios/endpoints.ts';
import { journeyEvents } from '../scenarios/journey.ts';
import { failing } from '../scenarios/retries.ts';
import { parseSignature, serviceHeader, signatureOf, verifies } from './verify.ts';

function signatureIn(post: Received): string {
  return serviceHeader(post, 'signature') ?? '';
}

export function expectVerified(post: Received, secret: string): void {
  const header = signatureIn(post);
  const isValid = verifies(header, post.body, secret, post.at / 1_000);
  const { time } = parseSignature(header);
  const wanted = signatureOf(secret, time ?? 0, post.body);
  expectThat(isValid, `a v1 that is ${wanted}`, show(header));
}

function signaturesOf(post: Received): readonly string[] {
  return parseSignature(signatureIn(post)).signatures;
}

function timeOf(post: Received): number {
  const { time } = parseSignature(signatureIn(post));
  expectThat(time !== null, 'an integer t', show(signatureIn(post)));
  return time;
}

/** The rules of the signature header. */
export const signatures: readonly Check[] = [
  checkOf(
    'v1 is the HMAC-SHA256 of <t>.<raw body>, keyed with the secret',
    mainEndpoint,
    async ({ endpoint, handshake }, ctx) => {
      expectVerified(handshake, endpoint.secret);
      const { before, endpoint: rotated } = await rotation(ctx);
      expectVerified(before, rotated.secret);
    },
  ),
  checkOf('every event that was sent verifies', journeyEvents, async ({ posts }, ctx) => {
    const { endpoint } = await mainEndpoint(ctx);
    for (const post of posts) expectVerified(post, endpoint.secret);
  }),
  ...checksOf(allPosts, {
    'v1 is lowercase hex': (posts) => {
      for (const value of posts.flatMap(signaturesOf)) {
        expectThat(/^[0-9a-f]{64}$/.test(value), '64 lowercase hex digits', show(value));
      }
    },
    't is when the attempt was made': (posts) => {
      for (const post of posts) {
        const off = Math.abs(post.at / 1_000 - timeOf(post));
        expectThat(off < 15, 'a t within 15 s of the arrival', `${off} s off`);
      }
    },
  }),
  ...checksOf(rotation, {
    'outside a rotation overlap there is one v1': async ({ before }, ctx) => {
      const { handshake } = await mainEndpoint(ctx);
      for (const post of [before, handshake]) expectEqual('v1', signaturesOf(post).length, 1);
    },
    'during a rotation overlap there are two v1': ({ during, afterwards }) => {
      for (const post of [during, afterwards]) expectEqual('v1', signaturesOf(post).length, 2);
    },
    'during the overlap the old secret verifies': ({ during, endpoint }) => expectVerified(during, endpoint.secret),
    'during the overlap the new secret verifies': ({ during, newSecret }) => expectVerified(during, newSecret),
    'the new secret does not verify what was sent before it': ({ before, newSecret }) => {
      const isMatch = verifies(signatureIn(before), before.body, newSecret, before.at / 1_000);
      expectThat(!isMatch, 'no match', 'a match');
    },
  }),
  checkOf('every attempt has its own signature', failing, ({ posts, endpoint }) => {
    for (const post of posts) expectVerified(post, endpoint.secret);
    const times = posts.map(timeOf);
    expectThat(nth(times, 2) > nth(times, 0), 'a later t on the third attempt', show(times));
  }),
  checkOf('a replay is signed with its own time', replays, async ({ posts, delivered }, ctx) => {
    const { endpoint } = await mainEndpoint(ctx);
    for (const post of posts) expectVerified(post, endpoint.secret);
    const created = Math.floor(Date.parse(textAt(delivered, 'created_at')) / 1_000);
    const times = posts.map(timeOf);
    expectThat(Math.max(...times) >= created, `a t of the replay, from ${created}`, show(times));
  }),
];
