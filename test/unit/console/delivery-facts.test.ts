import { describe, expect, it } from 'vitest';
import {
  causeOf,
  errorsOf,
  mayBeFirewall,
  shortId,
  shownStatus,
} from '../../../console/views/deliveries/delivery-facts.ts';

const event = { event_type: 'run.completed', example_type: null, replay_of: null } as const;
const handshake = { ...event, event_type: 'webhook.test' } as const;

describe('mayBeFirewall()', () => {
  it.each([
    ['an event that is refused with 403', event, 403, true],
    ['an event that is refused with 406', event, 406, true],
    ['an event that is refused with 415', event, 415, true],
    ['an example', { ...handshake, example_type: 'run.completed' } as const, 403, true],
    ['a replay of the test event', { ...handshake, replay_of: 'whd_1' } as const, 403, true],
    ['the test event of a registration, which has no links', handshake, 403, false],
    ['another status', event, 401, false],
    ['an error of the receiver', event, 500, false],
    ['no response', event, null, false],
  ])('knows %s', (_, delivery, status, expected) => {
    expect(mayBeFirewall({ ...delivery, response_status: status })).toBe(expected);
  });
});

describe('a row of the list', () => {
  it.each([
    ['rejected', 503, '503'],
    ['acknowledged', 204, '204'],
    ['timed_out', null, 'timeout'],
    ['dns_failed', null, 'DNS'],
    ['interrupted', null, 'interrupted'],
    [null, null, ''],
  ] as const)('says in a word that the last attempt met %s', (outcome, response_status, word) => {
    expect(causeOf({ outcome, response_status })).toBe(word);
  });

  it('a pending delivery of which an attempt has failed is retrying', () => {
    expect(shownStatus({ status: 'pending', outcome: 'timed_out' })).toBe('retrying');
    expect(shownStatus({ status: 'pending', outcome: null })).toBe('pending');
    expect(shownStatus({ status: 'failed', outcome: 'rejected' })).toBe('failed');
  });

  it('an id keeps its kind and its end, by which rows differ', () => {
    expect(shortId('evt_01M7W4N5E70Z6HNHRDZH9S0EZW')).toBe('evt_…9S0EZW');
    expect(shortId('run_1')).toBe('run_1');
  });

  it('each error is said once, the most frequent first, with its number', () => {
    const failed = (error: string | null, response_status: number | null = 503) =>
      ({ error, status: 'failed', outcome: 'rejected', response_status }) as const;
    const errors = ['a', 'b', 'b', 'c', 'c', 'c', 'd', 'd', 'd', 'd'].map((error) => failed(error));

    expect(errorsOf([...errors, failed(null)])).toEqual({
      reasons: [
        { error: 'd', cause: '503', count: 4 },
        { error: 'c', cause: '503', count: 3 },
        { error: 'b', cause: '503', count: 2 },
      ],
      others: 1,
    });
    const cancelled = { error: 'Not sent', status: 'failed', outcome: null, response_status: null } as const;
    expect(errorsOf([cancelled]).reasons).toEqual([{ error: 'Not sent', cause: 'failed', count: 1 }]);
  });
});
