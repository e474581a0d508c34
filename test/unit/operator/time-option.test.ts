import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { timeOption } from '../../../tools/operator/cli/option-parsers.ts';

const now = Date.UTC(2026, 0, 31, 12);
const parse = timeOption(() => now);
const minute = 60_000;

describe('timeOption()', () => {
  it.each([
    ['0s', now],
    ['45s', now - 45_000],
    ['90m', now - 90 * minute],
    ['24h', now - 24 * 60 * minute],
    ['365d', now - 365 * 24 * 60 * minute],
    ['2026-01-31T12:00:00Z', now],
    ['2026-01-31T12:00:00.250Z', now + 250],
    ['2026-01-31T12:00:00.250001Z', now + 251],
    ['2026-01-31T13:00:00+01:00', now],
    ['2026-01-31', now - 12 * 60 * minute],
    ['2030-01-01T00:00:00Z', Date.UTC(2030, 0)],
  ])('reads the age or time %s', (text, time) => {
    expect(parse(text)).toBe(time);
  });

  it.each([
    ...['', ' ', '24', '24 h', '-24h', '1.5h', '24H', '2w', '9999999d', '999999d'],
    ...[
      'yesterday',
      '2026-01-31T12:00:00',
      '2026-01-31 12:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-13-01',
      '1969-12-31T00:00:00Z',
      '1769860800000',
    ],
  ])('refuses "%s" and says what is expected', (text) => {
    expect(() => parse(text)).toThrow(
      new InvalidArgumentError('Give an age such as 90m, 24h or 7d, or an ISO 8601 time such as 2026-01-31T12:00:00Z'),
    );
  });

  it('asks the clock each time, so that a long program does not reuse an old moment', () => {
    let time = now;
    const parseLater = timeOption(() => time);

    time += minute;

    expect(parseLater('1m')).toBe(now);
  });
});
