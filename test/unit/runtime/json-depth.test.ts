import { describe, expect, it } from 'vitest';
import { jsonDepth } from '#shared/runtime/json-depth.ts';

const kib256 = 256 * 1024;

describe('jsonDepth()', () => {
  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['[]', 1],
    ['{"a":[1,{"b":2}]}', 3],
    ['[[],[],[[]]]', 3],
    ['{"[":"]","{":"}"}', 1],
    [String.raw`["\"[[[","\\",["\\\"["]]`, 2],
    [String.raw`["\\"][[`, 2],
    ['["a\n[b"]', 1],
  ])('of %s is %i', (text, depth) => {
    expect(jsonDepth(text)).toBe(depth);
  });

  it.each([
    ['a string that never ends', `"${'\\"'.repeat(kib256 / 2)}`, 0],
    ['strings that never end', '"'.repeat(kib256 - 1), 0],
    ['backslashes', '\\'.repeat(kib256), 0],
    ['brackets', '['.repeat(kib256), kib256],
  ])('reads each character of 256 KiB of %s once: starting over at each would take minutes', (_, text, depth) => {
    expect(jsonDepth(text)).toBe(depth);
  });
});
