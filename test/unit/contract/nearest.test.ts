import { describe, expect, it } from 'vitest';
import { nearest } from '#shared/contract/nearest.ts';

const known = ['stage', 'serviceName', 'logRetentionDays', 'alarmEmail', 'domainName'];

describe('nearest()', () => {
  it.each([
    ['stagee', 'stage'],
    ['satge', 'stage'],
    ['tage', 'stage'],
    ['STAGE', 'stage'],
    ['retentionDays', 'logRetentionDays'],
    ['alarmMail', 'alarmEmail'],
    ['domain', 'domainName'],
  ])('takes %s as a slip of %s', (word, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it.each(['', 'x', 'colour', 'somethingElseAltogether'])('has no guess for %j', (word) => {
    expect(nearest(word, known)).toBeUndefined();
  });

  it('has no guess where nothing is known', () => {
    expect(nearest('stage', [])).toBeUndefined();
  });
});
