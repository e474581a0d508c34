import { describe, expect, it } from 'vitest';
import { jsonDepth } from '#shared/runtime/json-depth.ts';

const kib64 = 64 * 1024;

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
    ['a string that never ends', `"${'\\"'.repeat(kib64 / 2 - 1)}`],
    ['strings that never end', '"'.repeat(kib64 - 1)],
    ['backslashes', '\\'.repeat(kib64)],
    ['brackets', '['.repeat(kib64)],
  ])('looks at each character of %s once, so it takes no time', (_, text) => {
    const harmless = '[{"a":"b"}]'.repeat(kib64 / 11);

    const usual = leastCpuTime(() => jsonDepth(harmless));
    const taken = leastCpuTime(() => jsonDepth(text));

    // Linear time is less than usual; starting over at each quote would take a thousand times as much.
    expect(taken).toBeLessThan(50 * usual);
  });
});

/** The least of three runs, in microseconds of this process, so that other programs do not count. */
function leastCpuTime(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}
