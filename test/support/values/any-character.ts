import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const lastCodePoint = 0x10ffff;

/** Every character of Unicode. fast-check has them as `binary`, for which each process computes for over a second. */
export const anyCharacter = fc
  .integer({ min: 0, max: lastCodePoint - surrogates.count })
  .map((number) => String.fromCodePoint(number < surrogates.first ? number : number + surrogates.count));
