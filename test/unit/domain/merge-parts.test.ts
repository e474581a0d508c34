import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { buildDelivery } from '../../support/values/builders.ts';

const all = Array.from({ length: 40 }, (_, number) => buildDelivery({}, number)).reverse();

/** Reads `all`, spread over partitions, in chunks. */
function walk(
  spread: readonly number[],
  size: number,
  limit: number,
  matching: ReadonlySet<string>,
  unreadable: ReadonlySet<string>,
) {
  const partitions = [0, 1, 2, 3].map((partition) => all.filter((_, index) => spread[index] === partition));
  const found: string[] = [];
  let after: string | null = null;
  for (let pages = 0; pages <= all.length + 1; pages += 1) {
    const position: string | null = after;
    const chunks = partitions.map((rows) => {
      const rest = rows.filter(({ id }) => position === null || id < position);
      const chunk = rest.slice(0, size);
      return {
        rows: chunk.filter(({ id }) => !unreadable.has(id)),
        next: rest.length > size ? (chunk.at(-1)?.id ?? null) : null,
      };
    });
    const merged: Rows<Delivery> = mergeNewestFirst(chunks, limit, ({ id }) => matching.has(id));
    expect(merged.rows.length).toBeLessThanOrEqual(limit);
    found.push(...merged.rows.map(({ id }) => id));
    after = merged.next;
    if (after === null) return found;
  }
  throw new Error('The walk does not end');
}

it('mergeNewestFirst() returns every readable match once and in order, for any number of partitions and page cuts', () => {
  const spread = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: all.length, maxLength: all.length });
  const some = fc.subarray(all.map(({ id }) => id));
  const small = fc.integer({ min: 1, max: 8 });

  fc.assert(
    fc.property(spread, small, small, some, some, (partitions, size, limit, ids, bad) => {
      const expected = all.map(({ id }) => id).filter((id) => ids.includes(id) && !bad.includes(id));
      expect(walk(partitions, size, limit, new Set(ids), new Set(bad))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it('mergeNewestFirst() continues a full page after all that was read when nothing that is left of it matches', () => {
  const rows = all.slice(0, 3);
  const [first, , last] = rows.map(({ id }) => id);
  const pageOf = (next: string | null, limit: number) => {
    const page = mergeNewestFirst([{ rows, next }], limit, ({ id }) => id === first);
    return [page.rows.map(({ id }) => id), page.next];
  };

  expect(pageOf(null, 1)).toEqual([[first], null]);
  expect(pageOf(last ?? null, 1)).toEqual([[first], last]);
});
