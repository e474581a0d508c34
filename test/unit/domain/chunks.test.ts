import { describe, expect, it } from 'vitest';
import { chunks } from '#shared/domain/chunks.ts';

describe('chunks()', () => {
  it.each([
    { list: [], pieces: [] },
    { list: [1], pieces: [[1]] },
    { list: [1, 2], pieces: [[1, 2]] },
    { list: [1, 2, 3, 4, 5], pieces: [[1, 2], [3, 4], [5]] },
  ])('slices $list into $pieces', ({ list, pieces }) => {
    expect(chunks(list, 2)).toEqual(pieces);
  });
});
