import { afterEach, describe, expect, it } from 'vitest';
import {
  clockText,
  clockTime,
  hostOf,
  localTime,
  relativeTime,
  shortDuration,
  showUtc,
  timeFormat,
  utcTime,
  zoneMark,
} from '../../../console/parts/texts.ts';
import { withoutEmpty } from '../../../console/routing/route.ts';
import { formattedJson, signatureHeader } from '../../../console/views/deliveries/delivery-facts.ts';
import { dayNameOf, dayOf, shortened, startOf, withKnown } from '../../../console/views/deliveries/filter-values.ts';
import {
  countText,
  isSettled,
  requestOf,
  roughly,
  startTyped,
  stopReason,
  toneOf,
} from '../../../console/views/replays/replay-text.ts';

const now = Date.parse('2026-11-22T10:00:00.000Z');

describe('times', () => {
  it.each([
    [-4_000, 'just now'],
    [-45_000, '45 s ago'],
    [-3_599_000, '59 min ago'],
    [7_200_000, 'in 2 h'],
    [-172_800_000, '2 d ago'],
  ])('%d ms from now is "%s"', (distance, text) => {
    expect(relativeTime(new Date(now + distance).toISOString(), now)).toBe(text);
  });

  it.each([
    [0, '0:00'],
    [1, '0:01'],
    [545_000, '9:05'],
    [3_729_000, '1:02:09'],
    [86_400_000, '24:00:00'],
  ])('a countdown of %d ms shows %s', (left, text) => {
    expect(clockText(left)).toBe(text);
  });

  it('durations have one unit, and times their zone', () => {
    expect([59, 60, 86_399].map(shortDuration)).toEqual(['59 s', '1 min', '23 h']);
    expect(localTime('2026-11-22T10:00:00.120Z')).toMatch(/2026.* \d\d:\d\d:\d\d .*[A-Z]/);
    expect(utcTime('2026-11-22T10:00:00.120Z')).toBe('2026-11-22 10:00:00.120 UTC');
  });
});

describe('the zone that the reader chose', () => {
  afterEach(() => showUtc(false));

  it('times and days are in UTC', () => {
    showUtc(true);

    expect(localTime('2026-11-22T10:00:00.120Z')).toMatch(/10:00:00 UTC$/);
    expect(dayOf(0, now).created_after).toBe('2026-11-22T00:00:00.000Z');
    expect(zoneMark(now)).toBe('UTC');
    expect(startTyped('2026-11-21T10:00', now)).toBe('2026-11-21T10:00:00.000Z');
  });

  it('a time of today is that of the clock alone, and another one has its day', () => {
    showUtc(true);

    expect(clockTime('2026-11-22T09:05:07.999Z', now)).toBe('09:05:07');
    expect(clockTime('2026-11-21T23:59:59.000Z', now)).toMatch(/21.*23:59:59$/);
    expect(clockTime('2025-11-22T09:05:07.000Z', now)).toMatch(/22.*09:05:07$/);
  });
});

describe('timeFormat()', () => {
  it.each([
    ['en-US', 'Europe/Berlin', 'Nov 22, 2026, 18:05:09 GMT+1', 'GMT+1'],
    ['en-GB', 'America/New_York', '22 Nov 2026, 12:05:09 GMT-5', 'GMT-5'],
    ['de-DE', 'Europe/Berlin', '22. Nov. 2026, 18:05:09 MEZ', 'MEZ'],
    ['en-US', 'UTC', 'Nov 22, 2026, 17:05:09 UTC', 'UTC'],
  ])('writes a time in %s with the zone %s', (language, zone, text, mark) => {
    const format = timeFormat(language, zone);
    const at = Date.parse('2026-11-22T17:05:09.120Z');

    expect(format.format(at)).toBe(text);
    expect(zoneMark(at, format)).toBe(mark);
  });
});

describe('filters', () => {
  it('empty filters are left out', () => {
    expect(withoutEmpty({ status: '', webhook: undefined, event_id: 'evt_1' })).toEqual({
      event_id: 'evt_1',
    });
  });

  it('a value of a link that is not known is still an option', () => {
    expect(withKnown(['failed'], 'postponed')).toEqual([
      ['failed', 'failed'],
      ['postponed', 'postponed'],
    ]);
    expect(withKnown(['failed'], 'failed')).toEqual([['failed', 'failed']]);
  });

  it('an age counts back from now, and a long URL keeps its beginning and its end', () => {
    expect(startOf(24, now)).toBe('2026-11-21T10:00:00.000Z');
    const url = `https://hooks.example.com/${'a'.repeat(2_000)}/the-last-part`;
    expect(shortened(url)).toHaveLength(64);
    expect(shortened(url)).toMatch(/^https:\/\/hooks\.example\.com\/a+…a+\/the-last-part$/);
    expect(shortened('https://hooks.example.com/')).toBe('https://hooks.example.com/');
  });
});

describe('dayOf()', () => {
  it('is the whole day of the zone, from midnight to midnight, which yesterday shares with today', () => {
    const [today, yesterday] = [dayOf(0, now), dayOf(1, now)];
    const midnight = new Date(today.created_after);

    expect([midnight.getHours(), midnight.getMinutes(), midnight.getSeconds()]).toEqual([0, 0, 0]);
    expect(Date.parse(today.created_after) <= now && now < Date.parse(today.created_before)).toBe(true);
    expect(yesterday.created_before).toBe(today.created_after);
    expect([today, yesterday, {}].map((range) => dayNameOf(range, now))).toEqual(['Today', 'Yesterday', null]);
  });
});

describe('bulk replays', () => {
  it.each([
    [0, 'about 1 s'],
    [59.2, 'about 60 s'],
    [61, 'about 2 min'],
    [3_600, 'about 1 h'],
    [3_661, 'about 1 h 2 min'],
  ])('%d seconds are "%s"', (seconds, text) => {
    expect(roughly(seconds)).toBe(text);
  });

  it('a typed start is a time in the past', () => {
    expect(startTyped('', now)).toBeNull();
    expect(startTyped('yesterday', now)).toBeNull();
    expect(startTyped('2026-11-22T10:00:00.001Z', now)).toBeNull();
    expect(startTyped('2026-11-21T10:00', now)).toBe(new Date('2026-11-21T10:00').toISOString());
  });

  it('says what was sent and left out, and why it stopped, also for a reason of a later version', () => {
    const outcomes = { delivered: 0, failed: 429, pending: 0 };
    expect(countText({ replayed: 1, skipped: 0, outcomes: null })).toBe('1 delivery resent');
    expect(countText({ replayed: 0, skipped: 0, outcomes: { ...outcomes, failed: 0 } })).toBe('0 deliveries resent');
    expect(countText({ replayed: 429, skipped: 0, outcomes })).toBe('429 resent: 0 delivered, 429 failed');
    expect(countText({ replayed: 430, skipped: 2, outcomes: { ...outcomes, pending: 1 } })).toBe(
      '430 resent: 0 delivered, 429 failed, 1 pending, 2 left out because they had been resent before',
    );
    expect(countText({ replayed: 1_200, skipped: 0, outcomes: { ...outcomes, failed: 1_200 } })).toBe(
      '1,200 resent: 0 delivered, 1,200 failed',
    );
    const reasons = [null, 'requested', 'webhook_not_active', 'paused'];
    expect(reasons.map(stopReason)).toEqual([
      null,
      'it was stopped on request',
      'the endpoint is no longer active',
      'paused',
    ]);
  });
});

describe('the outcome of a bulk replay', () => {
  const outcomesOf = (delivered: number, failed: number, pending: number) => ({ delivered, failed, pending });

  it.each([
    ['completed', outcomesOf(2, 0, 0), undefined, true],
    ['completed', outcomesOf(1, 1, 0), 'open', true],
    ['completed', outcomesOf(1, 0, 1), 'open', false],
    ['completed', null, undefined, true],
    ['running', outcomesOf(0, 1, 0), undefined, false],
    ['cancelled', outcomesOf(0, 1, 0), undefined, true],
  ] as const)('%s with %o has the tone %s', (status, outcomes, tone, settled) => {
    expect(toneOf({ status, outcomes })).toBe(tone);
    expect(isSettled({ status, outcomes })).toBe(settled);
  });

  it('is planned by what the job takes, without what it does not limit, at a pace that customers can ask for', () => {
    const everything = {
      status: 'failed',
      created_after: '2026-11-22T09:00:00Z',
      created_before: '2026-11-22T10:00:00Z',
      ...{ source_webhook_id: null, event_type: null, response: null, delivery_ids: null },
    } as const;
    const { source_webhook_id: _, event_type: __, response: ___, delivery_ids: ____, ...range } = everything;
    const narrow = { source_webhook_id: 'whe_1', event_type: 'run.completed', response: '5xx' } as const;

    expect(requestOf({ deliveries: everything, rate: 100 })).toEqual({ ...range, rate: 25 });
    const deliveries = { ...everything, ...narrow, delivery_ids: ['whd_1'] };
    expect(requestOf({ deliveries, rate: 1 })).toEqual({ ...deliveries, rate: 1 });
  });
});

describe('what was sent', () => {
  it('a body is formatted when that changes it, and only when it is JSON', () => {
    expect(formattedJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(formattedJson('1')).toBeNull();
    expect(formattedJson('<html>')).toBeNull();
  });

  it('the signature header is known by its form, whatever the deployment is called', () => {
    const names = ['webhook-signature', 'X-Example-Event-Id', 'X-Example-Signature'];

    expect(signatureHeader(names.map((name) => ({ name })))).toBe('X-Example-Signature');
    expect(signatureHeader([])).toBeNull();
  });

  it('the host of an endpoint has its port, and a text that is no URL stays as it is', () => {
    expect(hostOf('https://hooks.example.com:8443/a')).toBe('hooks.example.com:8443');
    expect(hostOf('no url')).toBe('no url');
  });
});
