import { describe, expect, it } from 'vitest';
import { listDeliveriesQuery, listQuery } from '#shared/contract/list-query.ts';
import { bulkReplayBody } from '#shared/contract/records/bulk-replay.ts';

describe('listQuery', () => {
  it('defaults to the first page of 25, and ignores parameters that it does not know', () => {
    expect(listQuery.parse({ page: '2' })).toEqual({ limit: 25 });
  });

  it.each(['01', '5 ', '٥'])('refuses limit=%s, which is no usual form of a number', (limit) => {
    expect(listQuery.safeParse({ limit }).success).toBe(false);
  });
});

const unescapedPlus = 'must be an ISO 8601 time with a zone, whose `+` must be written as `%2B` in a URL';

describe('listDeliveriesQuery', () => {
  it('accepts every filter, with times in any zone', () => {
    const filters = {
      status: 'failed',
      event_type: 'tracker.changed',
      response_status: '5xx',
      event_id: 'evt_01KAGW43VC0000000000000000',
      run_id: 'run_a-b_1',
    };
    const times = {
      created_after: '2026-11-20T12:00:00Z',
      created_before: '2026-11-20T13:30:00.250+01:00',
    };

    expect(listDeliveriesQuery.parse({ ...filters, ...times })).toEqual({
      limit: 25,
      ...filters,
      created_after: Date.UTC(2026, 10, 20, 12),
      created_before: Date.UTC(2026, 10, 20, 12, 30, 0, 250),
    });
  });

  it.each([
    ['12:00:00.123Z', 123],
    ['12:00:00.123000Z', 123],
    ['12:00:00.1230001Z', 124],
    ['13:00:00.123456+01:00', 124],
  ])('has no record before %s after it, and none after it before it: records have whole milliseconds', (text, ms) => {
    const time = `2026-11-20T${text}`;
    const moment = Date.UTC(2026, 10, 20, 12, 0, 0, ms);

    expect(listDeliveriesQuery.parse({ created_after: time }).created_after).toBe(moment);
    expect(listDeliveriesQuery.parse({ created_before: time }).created_before).toBe(moment);
    expect(
      bulkReplayBody.parse({ status: 'failed', created_after: time, created_before: time }).selection,
    ).toMatchObject({ createdAfter: moment, createdBefore: moment });
  });

  it.each([
    ['a list', 'created_after', listDeliveriesQuery],
    ['a list', 'created_before', listDeliveriesQuery],
    ['a bulk replay', 'created_after', bulkReplayBody],
    ['a bulk replay', 'created_before', bulkReplayBody],
  ])('%s takes no %s before 1970, which no response could show', (_, name, schema) => {
    const base = schema === bulkReplayBody ? { status: 'failed', created_after: '2026-11-20T12:00:00Z' } : {};
    const parse = (text: string) => schema.safeParse({ ...base, [name]: text });

    expect(parse('1970-01-01T00:00:00Z').success).toBe(true);
    for (const text of ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00+00:01', '0000-01-01T00:00:00+14:00'])
      expect(parse(text).error?.issues).toMatchObject([
        { path: [name], message: 'must not be before `1970-01-01T00:00:00Z`' },
      ]);
  });

  it.each([
    ['2026-11-20T12:00:00Z', 'must be later than `created_after`'],
    ['today', expect.stringMatching(/^must be an ISO 8601 time/)],
    ['2026-11-26T10:00:00', expect.stringMatching(/^must be an ISO 8601 time with a zone, such as/)],
    ['2026-11-26 10:00:00', expect.stringMatching(/^must be an ISO 8601 time with a zone, such as/)],
    ['2026-11-26T10:00:00 02:00', unescapedPlus],
    ['2026-11-26T10:00:00.250 0530', unescapedPlus],
    ['2026-11-26t10:00 14:00', unescapedPlus],
  ])('says what created_before must be: not %s', (created_before, message) => {
    const range = { created_after: '2026-11-21T12:00:00Z', created_before };

    expect(listDeliveriesQuery.safeParse(range).error?.issues).toMatchObject([{ path: ['created_before'], message }]);
  });

  it.each([
    { status: '' },
    { status: 'FAILED' },
    { status: 'queued' },
    { response_status: '500' },
    { event_type: '' },
    { event_type: 'run' },
    { event_id: 'evt_1' },
    { event_id: 'whd_01KAGW43VC0000000000000000' },
    { run_id: 'run_' },
    { run_id: 'run_a b' },
    { created_after: '' },
    { created_after: '24h' },
    { created_after: '2026-11-20' },
    { created_after: '2026-11-20T12:00:00' },
    { created_after: '2026-02-30T12:00:00Z' },
    { created_before: '1732104000000' },
    { created_after: '2026-11-20T12:00:00Z', created_before: '2026-11-20T12:00:00Z' },
  ])('refuses %o', (query) => {
    expect(listDeliveriesQuery.safeParse(query).success).toBe(false);
  });
});
