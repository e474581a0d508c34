import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { createSigningKeys } from '#shared/auth/signing-keys.ts';
import { makeTestKey, type TestKey } from '../../support/http/token-issuer.ts';
import { createClock } from '../../support/operations/deps.ts';
import { minute, startOfTest } from '../../support/values/builders.ts';

let first: TestKey;
let second: TestKey;

beforeAll(async () => {
  [first, second] = await Promise.all([makeTestKey('ES256', 'first'), makeTestKey('ES256', 'second')]);
});

/** An issuer that publishes the keys of the test and counts its requests. */
function createIssuer(...published: readonly TestKey[]) {
  const clock = createClock(startOfTest);
  const failures: unknown[] = [];
  const issuer = { answer: async (): Promise<unknown> => keySetOf(...published), asked: 0 };
  const find = createSigningKeys({
    now: clock.now,
    fetchKeySet: () => {
      issuer.asked += 1;
      return issuer.answer();
    },
    onFailure: (cause) => failures.push(cause),
  });
  const found = (kid: string) =>
    find({ alg: 'ES256', kid }, { payload: '', signature: '' }).then(
      () => 'found',
      (error: unknown) => (error instanceof Error ? error.name : 'failed'),
    );
  return { issuer, clock, failures, found };
}

const keySetOf = (...keys: readonly TestKey[]) => ({ keys: keys.map(({ publicKey }) => publicKey) });
const down = async () => Promise.reject(new Error('down'));

/** Members that make a good public key unusable. */
const unusableMembers = [
  { use: 'enc' },
  { key_ops: ['sign'] },
  { alg: 'ES512' },
  { alg: 'HS256' },
  { kty: 'RSA' },
  { crv: 'secp256k1' },
  { x: 'AAAA' },
  // A published private key is known to everyone.
  { d: 'AAAA' },
];

const noUsableKey: readonly (readonly [string, () => unknown])[] = [
  ['no key', () => ({ keys: [] })],
  ['kinds of keys that are not known', () => ({ keys: [{ kty: 'AKP', kid: 'first' }, 7, null] })],
  ['a shared secret', () => ({ keys: [{ kty: 'oct', kid: 'first', k: 'AAAA' }] })],
  ['an RSA key of 1024 bits', () => ({ keys: [weakKey()] })],
  ...unusableMembers.map(
    (member) =>
      [`a key with ${JSON.stringify(member)}`, () => ({ keys: [{ ...first.publicKey, ...member }] })] as const,
  ),
  ...[{}, [], null, 'keys', { keys: {} }].map((answer) => [JSON.stringify(answer), () => answer] as const),
];

function weakKey() {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return { ...publicKey.export({ format: 'jwk' }), kid: 'first' };
}

it.each(noUsableKey)(
  'a key set with %s is a failure: it is fetched again after five seconds, and does not replace cached keys',
  async (_, publish) => {
    const { issuer, clock, failures, found } = createIssuer();
    issuer.answer = async () => publish();
    expect(await found('first')).toBe('SigningKeysUnavailable');
    issuer.answer = async () => keySetOf(first);
    clock.pass(5_000);
    expect(await found('first')).toBe('found');
    issuer.answer = async () => publish();
    clock.pass(10 * minute);

    expect(await found('first')).toBe('found');
    expect(failures).toHaveLength(2);
  },
);

it('createSigningKeys() fetches the key set once for all tokens of ten minutes', async () => {
  const { issuer, clock, found } = createIssuer(first);

  const early = await Promise.all([found('first'), found('first'), found('first')]);
  clock.pass(10 * minute - 1);
  const late = await found('first');

  expect([...early, late]).toEqual(['found', 'found', 'found', 'found']);
  expect(issuer.asked).toBe(1);
});

it('createSigningKeys() fetches again after ten minutes, and then refuses withdrawn keys', async () => {
  const { issuer, clock, found } = createIssuer(first);
  await found('first');
  issuer.answer = async () => keySetOf(second);

  clock.pass(10 * minute);

  expect(await found('first')).toBe('JWKSNoMatchingKey');
  expect(issuer.asked).toBe(2);
});

it('createSigningKeys() fetches again as soon as a token names a new key', async () => {
  const { issuer, clock, found } = createIssuer(first);
  await found('first');
  issuer.answer = async () => keySetOf(first, second);
  clock.pass(minute);

  expect(await found('second')).toBe('found');
  expect(await found('first')).toBe('found');
  expect(issuer.asked).toBe(2);
});

it('createSigningKeys() fetches once for an unknown key, and not again for 30 seconds, for any number of tokens', async () => {
  const { issuer, clock, found } = createIssuer(first);
  await found('first');
  clock.pass(minute);

  const names = Array.from({ length: 50 }, (_, index) => `unknown-${index}`);
  expect(new Set(await Promise.all(names.map(found)))).toEqual(new Set(['JWKSNoMatchingKey']));
  clock.pass(29_999);
  await found('unknown');
  const askedInPause = issuer.asked;
  clock.pass(1);
  await found('unknown');

  expect([askedInPause, issuer.asked]).toEqual([2, 3]);
});

it('createSigningKeys() uses cached keys for a day while the issuer is down, and fetches every 30 seconds', async () => {
  const { issuer, clock, failures, found } = createIssuer(first);
  await found('first');
  issuer.answer = down;

  clock.pass(10 * minute);
  const answers = [await found('first')];
  clock.pass(29_999);
  answers.push(await found('first'));
  const askedInPause = issuer.asked;
  clock.pass(1);
  answers.push(await found('first'));
  const asked = issuer.asked;
  clock.pass(24 * 60 * minute - 10 * minute - 30_001);
  answers.push(await found('first'));
  clock.pass(1);

  expect(answers).toEqual(['found', 'found', 'found', 'found']);
  expect([askedInPause, asked]).toEqual([2, 3]);
  expect(await found('first')).toBe('SigningKeysUnavailable');
  expect(failures.length).toBe(issuer.asked - 1);
});

it('createSigningKeys() fetches again after the clock was set back', async () => {
  const { issuer, clock, found } = createIssuer(first);
  await found('first');
  issuer.answer = down;
  clock.pass(-1_000);
  const setBackALittle = await found('first');
  issuer.answer = async () => keySetOf(second);
  clock.pass(-60 * minute);

  expect([setBackALittle, await found('second')]).toEqual(['found', 'found']);
});

it('createSigningKeys() refuses an unknown key while the issuer is down and other keys are cached', async () => {
  const { issuer, clock, found } = createIssuer(first);
  await found('first');
  issuer.answer = down;
  clock.pass(minute);

  expect(await found('second')).toBe('JWKSNoMatchingKey');
});

it('createSigningKeys() is unavailable until the first key set arrives, and fetches every five seconds', async () => {
  const { issuer, clock, failures, found } = createIssuer(first);
  issuer.answer = down;

  const answers = [await found('first'), await found('first')];
  clock.pass(4_999);
  answers.push(await found('first'));
  const asked = issuer.asked;
  issuer.answer = async () => keySetOf(first);
  clock.pass(1);

  expect(answers).toEqual(Array.from({ length: 3 }, () => 'SigningKeysUnavailable'));
  expect([asked, failures]).toEqual([1, [new Error('down')]]);
  expect(await found('first')).toBe('found');
});

it('createSigningKeys() skips keys that it does not understand, and unusable ones', async () => {
  const { issuer, found } = createIssuer();
  const strange = [null, 7, {}, { kty: 'AKP', kid: 'x' }, { kty: 'EC', kid: 7 }, { kty: 'oct', k: 'AAAA' }];
  const unusable = unusableMembers.map((member) => ({ ...first.publicKey, ...member }));
  issuer.answer = async () => ({ keys: [...strange, ...unusable, second.publicKey] });

  expect(await found('first')).toBe('JWKSNoMatchingKey');
  expect(await found('second')).toBe('found');
});
