import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointDelivery } from '../../../console/api/records.ts';
import { type Known, readOlder, withNewest, withOlder } from '../../../console/parts/pages.ts';
import { firstDue } from '../../../console/views/deliveries/delivery-facts.ts';
import { at, listedOf } from './records.ts';

const size = 5;

/** A page of a list that has the deliveries 0 to `count - 1`. @param before index at which the page before ended */
function pageOf(count: number, before = count) {
  const indexes = Array.from({ length: Math.min(size, before) }, (_, offset) => before - 1 - offset);
  const last = indexes.at(-1) ?? 0;
  return { items: indexes.map(listedOf), next_cursor: last === 0 ? null : String(last) };
}

const indexesOf = ({ items }: Known<EndpointDelivery>) => items.map(({ id }) => Number(id.slice('whd_'.length)));

const steps = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('created' as const), count: fc.nat({ max: 8 }) }),
    fc.record({ what: fc.constantFrom('refresh' as const, 'older' as const) }),
  ),
  { maxLength: 30 },
);

describe('withNewest() and withOlder()', () => {
  it('in any order of refreshes, older pages and new deliveries there is no gap and no duplicate', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), steps, (initial, taken) => {
        let count = initial;
        let known = withNewest(null, pageOf(count));
        for (const step of taken) {
          if (step.what === 'created') count += step.count;
          if (step.what === 'refresh') known = withNewest(known, pageOf(count));
          if (step.what === 'older' && known.next_cursor !== null) {
            known = withOlder(known, pageOf(count, Number(known.next_cursor)));
          }
          const indexes = indexesOf(known);
          const newest = indexes[0] ?? -1;
          expect(indexes).toEqual(indexes.map((_, offset) => newest - offset));
          expect(known.next_cursor).toBe((indexes.at(-1) ?? 0) === 0 ? null : String(indexes.at(-1)));
        }
      }),
    );
  });

  it('a refresh keeps the older pages that the reader asked for, and adds what is new', () => {
    const known = withOlder(withNewest(null, pageOf(20)), pageOf(20, 15));

    expect(indexesOf(withNewest(known, pageOf(22)))).toEqual([21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10]);
  });

  it('when more is new than a page holds, the list stays as it is and says that it is behind', () => {
    const known = withOlder(withNewest(null, pageOf(20)), pageOf(20, 15));

    expect(withNewest(known, pageOf(40))).toEqual({ ...known, behind: true });
  });

  it('what a short list held stays when it grows beyond a page, in several refreshes', () => {
    const held = { ...withNewest(null, pageOf(2)), extended: true };
    const complete = withNewest(held, pageOf(4));

    expect(indexesOf(withNewest(complete, pageOf(7)))).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(withNewest(complete, pageOf(20))).toEqual({ ...complete, behind: true });
  });

  it('without older pages, a refresh is the newest page, also when that page is empty', () => {
    const known = withNewest(null, pageOf(20));

    expect(indexesOf(withNewest(known, pageOf(40)))).toEqual([39, 38, 37, 36, 35]);
    expect(withNewest(known, { items: [], next_cursor: 'later' })).toMatchObject({
      items: [],
      next_cursor: 'later',
    });
  });

  it('videos of one id on different platforms are different ones', () => {
    const videoOf = (platform: string) => ({ id: '1', platform });
    const newest = { items: [videoOf('youtube'), videoOf('tiktok')], next_cursor: 'older' };
    const older = { items: [videoOf('instagram')], next_cursor: null };

    const known = withOlder(withNewest(null, newest), older);

    expect(known.items).toEqual([...newest.items, ...older.items]);
    expect(withNewest(known, newest).items).toEqual(known.items);
  });

  it('an empty newest page does not take away the older pages that the reader asked for', () => {
    const known = withOlder(withNewest(null, pageOf(20)), pageOf(20, 15));

    expect(withNewest(known, { items: [], next_cursor: 'later' })).toEqual(known);
  });
});

describe('readOlder()', () => {
  it.each([
    ['the first page with items', [0, 0, 2], 3],
    ['the last page of the list', [0, 0], 2],
    ['the fourth empty page, so that a rare filter leaves requests for the reader', [0, 0, 0, 0, 0, 2], 4],
  ])('reads on to %s', async (_name, counts, read) => {
    const cursors: string[] = [];

    const page = await readOlder('0', async (cursor) => {
      cursors.push(cursor);
      const next = Number(cursor) + 1;
      return {
        items: Array.from({ length: counts[next - 1] ?? 0 }),
        next_cursor: next < counts.length ? `${next}` : null,
      };
    });

    expect(cursors).toEqual(Array.from({ length: read }, (_, index) => `${index}`));
    expect(page.items).toHaveLength(counts[read - 1] ?? -1);
  });
});

describe('firstDue()', () => {
  const now = Date.parse(at(1_000));
  const planned = (next: string | null) => ({ ...listedOf(0), next_attempt_at: next });

  it('is the earliest planned attempt that is still to come', () => {
    expect(firstDue([planned(at(9_000)), planned(null), planned(at(2_000)), planned(at(500))], now)).toBe(at(2_000));
    expect(firstDue([planned(null), planned(at(500))], now)).toBeNull();
  });
});
