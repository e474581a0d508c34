import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { hostileMessages, writeJson } from '../../support/values/hostile-messages.ts';
import { intakeExamples as examples } from '../../support/values/intake-messages.ts';

const settledAt = (settled_at: string) => ({
  ...examples['run.settled'],
  run: { ...examples['run.settled'].run, settled_at },
});
const withNumber = (text: string): unknown =>
  JSON.parse(
    JSON.stringify({
      ...examples['tracker.saved'],
      tracker: { ...examples['tracker.saved'].tracker, deep: [{ n: 'N' }] },
    }).replace('"N"', text),
  );
const issuesOf = (message: unknown) =>
  intakeMessage.safeParse(message).error?.issues.map(({ path }) => path.join('.'));

describe('a message that the intake accepts', () => {
  it.each(Object.entries(hostileMessages))(
    'an accepted message is the same after it is written and read again: %s',
    (_, hostile) => {
      let accepted = 0;

      fc.assert(
        fc.property(hostile, (given) => {
          const first = intakeMessage.safeParse(JSON.parse(writeJson(given)));
          if (!first.success) return;
          accepted += 1;

          const written = JSON.stringify(first.data);
          const again = intakeMessage.safeParse(JSON.parse(written));

          expect(again.error?.issues).toBeUndefined();
          expect(JSON.stringify(again.data)).toBe(written);
          // JSON silently drops values that it cannot express.
          expect(again.data).toEqual(JSON.parse(written));
        }),
        { numRuns: 200, seed: 8 },
      );

      expect(accepted).toBeGreaterThan(10);
    },
  );

  it.each([
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00-00:01', '0000-01-01T00:01:00.000Z'],
  ])('may have a time at an end of the calendar: %s', (time, stored) => {
    expect(intakeMessage.parse(settledAt(time))).toMatchObject({ run: { settled_at: stored } });
  });

  it.each(['1e-400', '1e308', '-0', '1e-200'])(
    'may have a number that is stored as the double that it is read as: %s',
    (text) => {
      expect(issuesOf(withNumber(text))).toBeUndefined();
    },
  );
});

describe('a message that the intake refuses', () => {
  it.each(['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59.999-00:01', '0000-01-01T00:00:00+00:01'])(
    'has a time whose year in UTC has no four digits: %s',
    (time) => {
      expect(issuesOf(settledAt(time))).toEqual(['run.settled_at']);
    },
  );

  it.each(['1e400', '-1e400'])(
    'has a number beyond the range of a double, in any stored member: %s',
    (text) => {
      expect(issuesOf(withNumber(text))).toEqual(['tracker.deep']);
    },
  );
});
