import { describe, expect, it } from 'vitest';
import type { WebhookStats } from '../../../console/api/records.ts';
import { localTime } from '../../../console/parts/texts.ts';
import {
  failureLinks,
  glanceTexts,
  marksOf,
  pictureOf,
  pictureText,
  resentText,
  responseText,
  shareText,
  usedBuckets,
  windowText,
} from '../../../console/views/endpoints/figures.ts';

const from = (minute: number) => new Date(Date.UTC(2026, 10, 22, 9, minute)).toISOString();
const none = { pending: 0, delivered: 0, failed: 0 };

function statsOf(changes: Partial<WebhookStats> = {}): WebhookStats {
  return {
    webhook_id: 'whe_1',
    window: {
      length: '1h',
      created_after: from(1),
      computed_at: from(12),
      deliveries: 9,
      older_left_out: false,
      sampled: false,
    },
    deliveries: { pending: 1, delivered: 6, failed: 2 },
    replays: none,
    delivered_share: 0.75,
    response_ms: { p50: 84, p95: 1_240 },
    failed_attempts: [],
    bucket_seconds: 300,
    buckets: [
      { created_after: from(0), pending: 0, delivered: 4, failed: 0, replays: none },
      { created_after: from(5), ...none, replays: none },
      { created_after: from(10), pending: 1, delivered: 2, failed: 2, replays: none },
    ],
    ...changes,
  };
}

describe('the picture of outcomes', () => {
  it('has deliveries above the base and failures below it', () => {
    const picture = pictureOf(statsOf());

    expect(picture).toMatchObject({ height: 6, base: 4 });
    expect(picture.bars.map(({ parts }) => parts)).toEqual([
      [{ outcome: 'delivered', top: 0, height: 4 }],
      [],
      [
        { outcome: 'pending', top: 1, height: 1 },
        { outcome: 'delivered', top: 2, height: 2 },
        { outcome: 'failed', top: 4, height: 2 },
      ],
    ]);
    expect(picture.bars.map(({ text }) => text)).toEqual([
      `${localTime(from(0))}: 4 delivered`,
      `${localTime(from(5))}: nothing`,
      `${localTime(from(10))}: 2 delivered, 2 failed, 1 pending`,
    ]);
  });

  it('has a height without deliveries', () => {
    expect(pictureOf({ buckets: [] })).toEqual({ height: 1, base: 0, bars: [] });
  });

  it('says in words what it shows', () => {
    expect(pictureText(statsOf())).toBe(
      'Deliveries over time in 3 spans of 5 min: 6 delivered, 2 failed, 1 pending; failures in 1 of the spans',
    );
  });

  it('has a table without the empty spans', () => {
    expect(usedBuckets(statsOf()).map((bucket) => bucket.created_after)).toEqual([from(0), from(10)]);
    const [first, empty] = statsOf().buckets;
    const resent = { ...none, failed: 1 };
    expect(
      usedBuckets({ buckets: [first, empty].flatMap((each) => (each ? { ...each, replays: resent } : [])) }),
    ).toHaveLength(2);
  });

  it.each([
    ['1h', /^\d\d:\d\d$/],
    ['24h', /^\d\d:\d\d$/],
    ['7d', /^\D*22\D*$/],
  ] as const)('has a mark at each quarter of %s', (length, text) => {
    const buckets = Array.from({ length: 24 }, (_, index) => ({
      created_after: from(index),
      ...none,
      replays: none,
    }));
    const marks = marksOf({ buckets, window: { ...statsOf().window, length } });

    expect(marks).toHaveLength(4);
    for (const mark of marks) expect(mark).toMatch(text);
  });
});

describe('the figures in words', () => {
  const outage: WebhookStats['failed_attempts'] = [
    { outcome: 'rejected', response_status: 503, attempts: 1_590 },
    { outcome: 'timed_out', response_status: null, attempts: 1 },
  ];

  it.each([
    [0.75, '75 % of 8 that ended'],
    // Four digits of 2 of 3.
    [0.6666, '66.6 % of 8 that ended'],
    [0.9999, '99.9 % of 8 that ended'],
    [1, '100 % of 8 that ended'],
    [null, 'none has ended yet'],
  ])('a share of %s is %s', (delivered_share, text) => {
    expect(shareText(statsOf({ delivered_share, deliveries: { pending: 0, delivered: 6, failed: 2 } }))).toBe(text);
    expect(shareText(statsOf({ delivered_share }))).toBe(`${text}, 1 pending`);
  });

  it('response times have their unit', () => {
    expect(responseText(statsOf())).toBe('half within 84 ms, 95 of 100 within 1.2 s');
    expect(responseText({ response_ms: null })).toBe('no response yet');
  });

  it.each<[Partial<WebhookStats>, readonly string[]]>([
    [{}, ['75 % of 8 delivered in 24 h', 'median response 84 ms']],
    [{ response_ms: null }, ['75 % of 8 delivered in 24 h']],
    [{ delivered_share: null, response_ms: null }, ['No delivery has ended yet']],
    [
      { deliveries: { pending: 340, delivered: 1, failed: 0 }, delivered_share: 1, failed_attempts: outage },
      ['100 % of 1 delivered in 24 h', '340 pending, 1,591 attempts failed', 'median response 84 ms'],
    ],
    [
      { deliveries: { ...none, pending: 1 }, delivered_share: null, failed_attempts: outage.slice(1) },
      ['No delivery has ended yet', '1 pending, 1 attempt failed', 'median response 84 ms'],
    ],
    [
      { deliveries: { ...none, failed: 3 }, delivered_share: 0, response_ms: null, failed_attempts: outage },
      ['0 % of 3 delivered in 24 h'],
    ],
    [{ deliveries: none }, ['No delivery in 24 h']],
  ])('an endpoint at a glance, with %o', (changes, texts) => {
    expect(glanceTexts(statsOf(changes))).toEqual(texts);
  });

  it('failed attempts have their cause and their number', () => {
    const rejected = { outcome: 'rejected', response_status: 503, attempts: 12 } as const;
    const late = { outcome: 'timed_out', response_status: null, attempts: 1 } as const;

    const odd = { outcome: 'rejected', response_status: 999, attempts: 1 } as const;
    const filters = { webhook: 'whe_1', created_after: from(1) };
    expect(failureLinks(statsOf({ failed_attempts: [rejected, late, odd] }))).toEqual([
      { text: 'Rejected with 503: 12 attempts', filters: { ...filters, response_status: '5xx' } },
      { text: 'Timed out: 1 attempt', filters: { ...filters, response_status: 'none' } },
      { text: 'Rejected with 999: 1 attempt', filters },
    ]);
  });

  it('what was resent is said apart, and nothing when nothing was', () => {
    expect(resentText({ replays: { ...none, failed: 429 } })).toBe('429 failed');
    expect(resentText({ replays: none })).toBe('');
  });

  it.each([
    [{}, '9 deliveries'],
    [{ deliveries: 1 }, '1 delivery'],
    [{ deliveries: 98_000, sampled: true }, 'About 98,000 deliveries, counted by samples'],
  ])('with %o, the window is named "%s"', (changes, text) => {
    expect(windowText({ ...statsOf().window, ...changes })).toBe(text);
  });
});
