import { describe, expect, it } from 'vitest';
import {
  afterAnswer,
  afterFailure,
  afterSilence,
  firstWindow,
  isStillAnswering,
  narrowed,
  openWindow,
  type PostWindow,
  type SlowPace,
  turnLasts,
  windowFrom,
  withNoted,
} from '#shared/domain/post-window.ts';
import vectors from '../../vectors/post-windows.json' with { type: 'json' };

const now = 100_000;
const windowOf = (size: number, fastestMs: number, lastMs: number): PostWindow => ({
  size,
  fastestMs,
  lastMs,
});
const noted = (window: PostWindow, age = 1_000): SlowPace => ({
  notedAt: now - age,
  isAnswering: true,
  window,
});
const silent: SlowPace = { notedAt: now, isAnswering: false, window: firstWindow };

function after(window: PostWindow, answer: number | string): PostWindow {
  if (typeof answer === 'number') return afterAnswer(window, answer, true);
  if (answer.endsWith('failure')) return afterFailure(window, answer === 'failure' ? 20 : 900, true);
  return afterSilence(window, answer === 'silence', 10_000);
}

it.each(vectors.series)('after $name, the window is $size', ({ answers, size }) => {
  const window = answers.reduce(after, firstWindow);

  expect(window.size).toBe(size ?? Number.POSITIVE_INFINITY);
});

it('neither an answer nor a failure makes a window larger that was not full', () => {
  expect(afterAnswer(windowOf(3, 1_000, 1_000), 1_000, false)).toEqual(windowOf(3, 1_000, 1_000));
  expect(afterFailure(firstWindow, 20, false)).toEqual(firstWindow);
});

describe('windowFrom()', () => {
  it.each<[string, SlowPace | null, number]>([
    ['nothing is noted', null, 1],
    ['it answered nothing', silent, Number.POSITIVE_INFINITY],
    ['it answers several at once', noted(windowOf(12, 2_000, 2_100)), 12],
    ['its answers wait for each other', noted(windowOf(12, 1_000, 3_000)), 1],
    ['its answers wait for many others', noted(windowOf(12, 1_000, 6_000)), 0],
    ['its answers waited for many others, which are answered by now', noted(windowOf(12, 1_000, 6_000), 6_000), 1],
  ])('of an endpoint of which %s', (_what, pace, size) => {
    expect(windowFrom(pace, now).size).toBe(size);
  });
});

describe('turnLasts()', () => {
  it.each<[string, SlowPace | null, number | null]>([
    ['nothing is noted: as long as a quick answer may take', null, 1_000],
    ['it answered nothing: workers need not wait for each other', silent, null],
    ['it answers several at once: neither', noted(windowOf(4, 2_000, 2_100)), null],
    ['it answers one at a time: twice as long as the fastest answer', noted(windowOf(2, 700, 1_500)), 1_400],
    ['it answers one at a time, and gave no answer: the same', noted(windowOf(0.5, 700, 6_000)), 1_400],
    ['it takes long, and gave no answer: twice as long again', noted(windowOf(0.5, 5_000, 5_000)), 20_000],
    ['it answered without a time that is known: as if nothing were noted', noted(firstWindow), 1_000],
  ])('of an endpoint of which %s', (_what, pace, lasts) => {
    expect(turnLasts(pace)).toBe(lasts);
  });
});

describe('isStillAnswering()', () => {
  it.each<[string, SlowPace | null, boolean]>([
    ['nothing is noted', null, false],
    ['it answered nothing', silent, false],
    ['it answered within the minute', noted(windowOf(1, 900, 900), 59_999), true],
    ['it answered over a minute ago', noted(windowOf(1, 900, 900), 60_000), false],
    ['its answers are too quick to be busy for longer', noted(windowOf(1, 2_500, 2_500), 60_000), false],
    ['it may be busy with 32 posts of 5 seconds each', noted(windowOf(1, 5_000, 5_000), 159_999), true],
    ['it would have answered 32 posts of 5 seconds each', noted(windowOf(1, 5_000, 5_000), 160_000), false],
    ['no time of an answer is noted', noted(firstWindow, 60_000), false],
  ])('of an endpoint of which %s', (_what, pace, isAnswering) => {
    expect(isStillAnswering(pace, now)).toBe(isAnswering);
  });
});

describe('narrowed()', () => {
  it('has the smaller window, and the time of the last answer', () => {
    const narrow = narrowed(noted(windowOf(3, 5_000, 6_000)), windowOf(1.5, 4_000, 10_000));

    expect(narrow).toEqual(noted(windowOf(1.5, 5_000, 6_000)));
  });

  it.each<[string, SlowPace | null]>([
    ['nothing', null],
    ['silence', silent],
    ['quick answers: those that wait tell of it', noted(windowOf(3, 2_500, 2_500))],
    ['a window as small', noted(windowOf(1, 5_000, 5_000))],
    ['one post and a pause', noted(windowOf(0.9, 5_000, 5_000))],
  ])('is `null` where the note is of %s', (_what, pace) => {
    const size = pace?.window.size === 1 ? 1 : 0.5;

    expect(narrowed(pace, windowOf(size, 5_000, 10_000))).toBeNull();
  });
});

it('withNoted() takes the faster answer, and nothing from silence', () => {
  const window = windowOf(3, 2_000, 2_500);

  expect(withNoted(window, noted(windowOf(9, 900, 950)))).toEqual(windowOf(3, 900, 2_500));
  expect(withNoted(window, noted(windowOf(9, 2_900, 2_950)))).toEqual(window);
  expect(withNoted(window, silent)).toEqual(window);
  expect(withNoted(openWindow, null)).toEqual(openWindow);
});
