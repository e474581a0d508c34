import { describe, expect, it } from 'vitest';
import { listDeliveriesQuery, listQuery } from '#shared/contract/list-query.ts';

describe('listQuery', () => {
  it('defaults to the first page of 25', () => {
    expect(listQuery.parse({})).toEqual({ limit: 25 });
  });

  it.each([
    ['1', 1],
    ['25', 25],
    ['99', 99],
    ['100', 100],
  ])('takes limit=%s', (limit, value) => {
    expect(listQuery.parse({ limit, cursor: 'c' })).toEqual({ limit: value, cursor: 'c' });
  });

  it.each(['', '0', '101', '999', '1000', '-1', '+1', '01', '1.0', '1e2', ' 5', '5 ', '0x10', '٥', 'ten'])(
    'refuses limit=%s instead of clamping it',
    (limit) => {
      expect(listQuery.safeParse({ limit }).success).toBe(false);
    },
  );

  it('refuses an empty cursor', () => {
    expect(listQuery.safeParse({ cursor: '' }).success).toBe(false);
  });

  it('ignores parameters that it does not know', () => {
    expect(listQuery.parse({ page: '2' })).toEqual({ limit: 25 });
  });
});

describe('listDeliveriesQuery', () => {
  it('accepts the filters', () => {
    const query = { status: 'failed', event_type: 'tracker.changed' };

    expect(listDeliveriesQuery.parse(query)).toEqual({ limit: 25, ...query });
  });

  it.each([
    { status: '' },
    { status: 'FAILED' },
    { status: 'queued' },
    { event_type: '' },
    { event_type: 'run' },
  ])('refuses %o', (query) => {
    expect(listDeliveriesQuery.safeParse(query).success).toBe(false);
  });
});
