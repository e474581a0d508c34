import { type Check, check } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { type Received, serviceHeader } from '../harness/receiver.ts';
import { parseSignature, signatureOf, toleranceSeconds, verifies } from '../harness/verify.ts';
import { allPosts } from '../scenarios/all-posts.ts';
import { nth } from '../scenarios/endpoint.ts';
import { journeyEvents } from '../scenarios/journey.ts';
import { mainEndpoint, replays } from '../scenarios/main-endpoint.ts';
import { failing } from '../scenarios/retries.ts';
import { rotation } from '../scenarios/rotation.ts';

function expectVerified(post: Received, secret: string): void {
  const header = serviceHeader(post, 'signature') ?? '';
  const isValid = verifies(header, post.body, secret, post.at / 1_000);
  const { time } = parseSignature(header);
  const wanted = signatureOf(secret, time ?? 0, post.body);
  expectThat(isValid, `a v1 that is ${wanted}`, show(header));
}

function countOfSignatures(post: Received): number {
  return parseSignature(serviceHeader(post, 'signature') ?? '').signatures.length;
}

function timeOf(post: Received): number {
  const { time } = parseSignature(serviceHeader(post, 'signature') ?? '');
  expectThat(time !== null, 'an integer t', show(serviceHeader(post, 'signature')));
  return time;
}

/** The rules of the signature header. */
export const signatures: readonly Check[] = [
  check('v1 is the HMAC-SHA256 of <t>.<raw body>, keyed with the secret', ['receiver'], async (ctx) => {
    const { endpoint, handshake } = await mainEndpoint(ctx);
    expectVerified(handshake, endpoint.secret);
    const { before, endpoint: rotated } = await rotation(ctx);
    expectVerified(before, rotated.secret);
  }),
  check('every event that was sent verifies', ['receiver', 'intake'], async (ctx) => {
    const { endpoint } = await mainEndpoint(ctx);
    for (const post of (await journeyEvents(ctx)).posts) expectVerified(post, endpoint.secret);
  }),
  check('v1 is lowercase hex', ['receiver'], async (ctx) => {
    for (const post of await allPosts(ctx)) {
      for (const value of parseSignature(serviceHeader(post, 'signature') ?? '').signatures) {
        expectThat(/^[0-9a-f]{64}$/.test(value), '64 lowercase hex digits', show(value));
      }
    }
  }),
  check('t is when the attempt was made', ['receiver'], async (ctx) => {
    for (const post of await allPosts(ctx)) {
      const off = Math.abs(post.at / 1_000 - timeOf(post));
      expectThat(off < 15 && off < toleranceSeconds, 'a t within 15 s of the arrival', `${off} s off`);
    }
  }),
  check('outside a rotation overlap there is one v1', ['receiver'], async (ctx) => {
    expectEqual('v1', countOfSignatures((await rotation(ctx)).before), 1);
    expectEqual('v1', countOfSignatures((await mainEndpoint(ctx)).handshake), 1);
  }),
  check('during a rotation overlap there are two v1', ['receiver'], async (ctx) => {
    const { during, afterwards } = await rotation(ctx);
    for (const post of [during, afterwards]) expectEqual('v1', countOfSignatures(post), 2);
  }),
  check('during the overlap the old secret verifies', ['receiver'], async (ctx) => {
    const { during, endpoint } = await rotation(ctx);
    expectVerified(during, endpoint.secret);
  }),
  check('during the overlap the new secret verifies', ['receiver'], async (ctx) => {
    const { during, newSecret } = await rotation(ctx);
    expectVerified(during, newSecret);
  }),
  check('the new secret does not verify what was sent before it', ['receiver'], async (ctx) => {
    const { before, newSecret } = await rotation(ctx);
    const header = serviceHeader(before, 'signature') ?? '';
    expectThat(!verifies(header, before.body, newSecret, before.at / 1_000), 'no match', 'a match');
  }),
  check('every attempt has its own signature', ['receiver', 'intake', 'retries'], async (ctx) => {
    const { posts, endpoint } = await failing(ctx);
    for (const post of posts) expectVerified(post, endpoint.secret);
    const times = posts.map(timeOf);
    expectThat(nth(times, 2) > nth(times, 0), 'a later t on the third attempt', show(times));
  }),
  check('a replay is signed with its own time', ['receiver'], async (ctx) => {
    const { endpoint } = await mainEndpoint(ctx);
    for (const post of (await replays(ctx)).posts) expectVerified(post, endpoint.secret);
  }),
];
