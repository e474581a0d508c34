import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameAddress } from '#shared/domain/ip-address.ts';
import { isPublicAddress } from '#shared/domain/public-address.ts';
import vectors from '../../vectors/addresses.json' with { type: 'json' };

describe('isPublicAddress()', () => {
  it.each(vectors.public)('accepts %j', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(vectors.not_public)('refuses $address ($rule)', ({ address }) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('refuses every IPv6 address outside 2000::/3', () => {
    const outside = fc.ipV6().filter((text) => !/^[23][0-9a-f]{3}:/i.test(text));

    fc.assert(fc.property(outside, (address) => !isPublicAddress(address)));
  });

  it('refuses every IPv4 address in a notation of IPv6', () => {
    const carriers = fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::');

    fc.assert(fc.property(carriers, fc.ipV4(), (carrier, address) => !isPublicAddress(carrier + address)));
  });
});

it.each([
  ['2606:4700::1', '2606:4700:0:0:0:0:0:1', true],
  ['2606:4700::A', '2606:4700::a', true],
  ['8.8.8.8', '8.8.8.8', true],
  ['8.8.8.8', '8.8.8.9', false],
  ['8.8.8.8', '::ffff:8.8.8.8', false],
  ['', '', false],
  ['example.com', 'example.com', false],
])('sameAddress() compares %j with %j by their bytes: %j', (left, right, expected) => {
  expect(sameAddress(left, right)).toBe(expected);
});
