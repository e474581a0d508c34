import { describe, expect, it } from 'vitest';
import { creatorPath, enginePathId } from '#shared/runtime/engine-path.ts';

const notFound = expect.objectContaining({ code: 'not_found' });

describe('enginePathId()', () => {
  it('gives an id of the kind that is asked for', () => {
    expect(enginePathId({ id: 'trk_1' }, 'tracker')).toBe('trk_1');
  });

  it.each([{}, { id: '' }, { id: 'run_1' }, { id: 'trk_a#b' }, { id: 'trk_a%20b' }])(
    'finds nothing for %o',
    (path) => {
      expect(() => enginePathId(path, 'tracker')).toThrow(notFound);
    },
  );
});

describe('creatorPath()', () => {
  it.each([
    ['some.one', 'some.one'],
    ['%40some.one', '@some.one'],
    ['@some.one', '@some.one'],
    ['a%23b', 'a#b'],
    ['100%', '100%'],
    ['%ff', '%ff'],
  ])('reads %s as %s', (handle, expected) => {
    expect(creatorPath({ platform: 'tiktok', handle })).toEqual({ platform: 'tiktok', handle: expected });
  });

  it('is empty for a path without a creator', () => {
    expect(creatorPath({})).toEqual({ platform: '', handle: '' });
  });
});
