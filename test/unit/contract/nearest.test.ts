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
    ['stage_of_everything', 'stage'],
  ])('takes %s as a slip of %s', (word, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it.each(['', 'x', 'colour', 'somethingElseAltogether'])(
    'returns undefined for %j, which is not near any name',
    (word) => {
      expect(nearest(word, known)).toBeUndefined();
    },
  );

  it('returns undefined when there are no names', () => {
    expect(nearest('stage', [])).toBeUndefined();
  });
});
