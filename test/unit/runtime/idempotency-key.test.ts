import { describe, expect, it } from 'vitest';
import { keyedRequestOf } from '#shared/runtime/idempotency-key.ts';

const keyed = (idempotencyKey: string | null, given: unknown = { url: 'a' }, customerId = 'cus_1') =>
  keyedRequestOf('registerWebhook', { customerId, idempotencyKey }, given);

describe('keyedRequestOf()', () => {
  it.each(['a', 'b6a1f6c2-4a55-4b0e-9d2a-0f4e6a1c8d37', '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'x'.repeat(255)])(
    'takes the key %s',
    (key) => {
      expect(keyed(key)).toMatchObject({ customerId: 'cus_1' });
    },
  );

  it.each(['', ' ', 'two words', 'tab\t', 'line\n', 'schlüssel', '\u007f', '😀', 'x'.repeat(256)])(
    'refuses the key %j',
    (key) => {
      expect(() => keyed(key)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          members: { errors: [{ pointer: 'Idempotency-Key', detail: expect.stringContaining('1 to 255') }] },
        }),
      );
    },
  );

  it('finds nothing without the header', () => {
    expect(keyed(null)).toBeNull();
  });

  it('tells customers, keys, operations and bodies apart, and gives no part of the key', () => {
    const same = keyed('key-1');

    expect(keyed('key-1')).toEqual(same);
    expect(keyed('key-1', { url: 'b' })?.fingerprint).not.toBe(same?.fingerprint);
    expect(keyed('key-1', { url: 'b' })?.digest).toBe(same?.digest);
    const other = { customerId: 'cus_1', idempotencyKey: 'key-1' };
    expect(keyedRequestOf('rotateSecret', other, { url: 'a' })?.fingerprint).not.toBe(same?.fingerprint);
    expect(keyed('key-2')?.digest).not.toBe(same?.digest);
    expect(keyed('key-1', { url: 'a' }, 'cus_2')?.digest).not.toBe(same?.digest);
    expect(JSON.stringify(same)).not.toContain('key-1');
  });
});
