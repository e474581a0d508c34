import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createCursors } from '#shared/runtime/cursors.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { anyCharacter } from '../../support/values/any-character.ts';

const secret = new Uint8Array(32).fill(3);
const readSecret = async () => secret;
const cursors = createCursors({ readSecret, randomBytes });
const scope = ['deliveries', 'cus_1', 'whe_1', '', ''];
const position = 'whd_01KDVDRN000000000000000000';

const notACursor = '`cursor` is not valid: send a `next_cursor` of this list with the same filters';

const refusal = expect.objectContaining({
  code: 'invalid_request',
  members: { errors: [{ pointer: '?cursor', detail: notACursor }] },
});

describe('createCursors()', () => {
  it('opens what it sealed for the same scope', async () => {
    const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 });

    await fc.assert(
      fc.asyncProperty(fc.array(fc.string()), texts, async (list, text) => {
        await expect(cursors.open(list, await cursors.seal(list, text))).resolves.toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('never makes the same cursor twice', async () => {
    expect(await cursors.seal(scope, position)).not.toBe(await cursors.seal(scope, position));
  });

  it('refuses a cursor with any one byte changed, cut off or added', async () => {
    const cursor = Buffer.from(await cursors.seal(scope, position), 'base64url');
    const changed = [...cursor.keys()].flatMap((index) => [
      ...[1, 128].map((bit) => Buffer.from(cursor.with(index, (cursor[index] ?? 0) ^ bit))),
      cursor.subarray(0, index),
    ]);
    const extended = [Buffer.concat([cursor, Buffer.of(0)]), Buffer.concat([Buffer.of(1), cursor])];

    for (const bytes of [...changed, ...extended]) {
      await expect(cursors.open(scope, bytes.toString('base64url'))).rejects.toEqual(refusal);
    }
  });

  it.each([
    ['another list', ['webhooks', 'cus_1', 'whe_1', '', '']],
    ['another customer', ['deliveries', 'cus_2', 'whe_1', '', '']],
    ['another parent', ['deliveries', 'cus_1', 'whe_2', '', '']],
    ['another filter', ['deliveries', 'cus_1', 'whe_1', 'failed', '']],
    ['the same filter in another place', ['deliveries', 'cus_1', 'whe_1', '', 'failed']],
    ['fewer parts', ['deliveries', 'cus_1', 'whe_1', '']],
    ['parts divided elsewhere', ['deliveries', 'cus_1whe_1', '', '', '']],
  ])('refuses a cursor of %s', async (_, other) => {
    const cursor = await cursors.seal(other, position);

    await expect(cursors.open(scope, cursor)).rejects.toEqual(refusal);
  });

  it('refuses a cursor of another deployment', async () => {
    const foreign = createCursors({ readSecret: async () => new Uint8Array(32).fill(4), randomBytes });

    await expect(cursors.open(scope, await foreign.seal(scope, position))).rejects.toEqual(refusal);
  });

  it('refuses other spellings of the same bytes', async () => {
    const cursor = await cursors.seal(scope, 'ab');
    const spellings = [
      `${cursor}=`,
      `${cursor}\n`,
      ` ${cursor}`,
      `${cursor.slice(0, 5)}.${cursor.slice(5)}`,
      Buffer.from(cursor, 'base64url').toString('base64'),
      withSpareBits(cursor),
    ].filter((text) => text !== cursor);

    for (const text of spellings) {
      expect(Buffer.from(text, 'base64url')).toEqual(Buffer.from(cursor, 'base64url'));
      await expect(cursors.open(scope, text)).rejects.toEqual(refusal);
    }
    expect(spellings.length).toBeGreaterThanOrEqual(5);
  });

  it('refuses more than 512 characters, although it sealed them', async () => {
    const longest = await cursors.seal(scope, 'a'.repeat(355));
    const longer = await cursors.seal(scope, 'a'.repeat(356));

    expect([longest.length, longer.length]).toEqual([512, 514]);
    await expect(cursors.open(scope, longest)).resolves.toHaveLength(355);
    await expect(cursors.open(scope, longer)).rejects.toEqual(refusal);
  });

  it('reads the secret once', async () => {
    const readCounted = vi.fn(readSecret);
    const counted = createCursors({ readSecret: readCounted, randomBytes });

    await Promise.all([counted.seal(scope, position), counted.seal(scope, position)]);
    await counted.open(scope, await counted.seal(scope, position));

    expect(readCounted).toHaveBeenCalledTimes(1);
  });

  it('reads the secret again after a read failed', async () => {
    const answers = [() => Promise.reject(new Error('throttled')), readSecret];
    const flaky = createCursors({
      readSecret: () => (answers.shift() ?? unexpected('readSecret'))(),
      randomBytes,
    });

    await expect(flaky.seal(scope, position)).rejects.toThrow('throttled');
    await expect(flaky.seal(scope, position)).resolves.toEqual(expect.any(String));
  });
});

/** Decoding drops bits of the last character of base64url unless the length is a multiple of three. */
function withSpareBits(cursor: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return cursor.slice(0, -1) + alphabet.charAt(alphabet.indexOf(cursor.slice(-1)) + 1);
}
