import { expect, it } from 'vitest';
import { creatorPath } from '#shared/runtime/path-id.ts';

it.each([
  ['some.one', 'some.one'],
  ['%40some.one', '@some.one'],
  ['@some.one', '@some.one'],
  ['a%23b', 'a#b'],
  ['100%', '100%'],
  ['%ff', '%ff'],
])('creatorPath() reads %s as %s', (handle, expected) => {
  expect(creatorPath({ platform: 'tiktok', handle })).toEqual({ platform: 'tiktok', handle: expected });
});
