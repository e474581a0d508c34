import { describe, expect, it } from 'vitest';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';

const metric = { Name: 'Attempts', Unit: 'Count' };
const directive = { Namespace: 'Webhooks', Dimensions: [['stage']], Metrics: [metric] };
const build = (change: object = {}, directives: readonly object[] = [directive], Timestamp = 1795176000500) =>
  JSON.stringify({
    stage: 'prod',
    Attempts: 1,
    ...change,
    _aws: { Timestamp, CloudWatchMetrics: directives },
  });

describe('readEmbedded()', () => {
  it('takes each value of each dimension set, and leaves the other members as facts', () => {
    const both = { ...directive, Dimensions: [['stage'], ['stage', 'kind']] };

    expect(readEmbedded(build({ Attempts: [1, 2], kind: 'a', attempt: 3 }, [both]))).toEqual({
      data: [{ stage: 'prod' }, { stage: 'prod', kind: 'a' }].flatMap((dimensions) =>
        [1, 2].map((value) => ({
          namespace: 'Webhooks',
          name: 'Attempts',
          unit: 'Count',
          dimensions,
          value,
          at: 1795176000500,
        })),
      ),
      facts: { stage: 'prod', kind: 'a', attempt: 3 },
    });
  });

  it.each([
    ['text before the object', `INFO ${build()}`],
    ['a missing value', build({ Attempts: undefined })],
    ['a value that is text', build({ Attempts: '1' })],
    ['more than 100 values', build({ Attempts: Array.from({ length: 101 }, () => 1) })],
    ['a missing dimension', build({ stage: undefined })],
    ['a dimension that is a number', build({ stage: 1 })],
    ['an empty dimension', build({ stage: '' })],
    ['a time in seconds', build({}, [directive], 1795176000)],
    ['no metric', build({}, [{ ...directive, Metrics: [] }])],
    ['a unit that does not exist', build({}, [{ ...directive, Metrics: [{ ...metric, Unit: 'ms' }] }])],
    ['a namespace of AWS', build({}, [{ ...directive, Namespace: 'AWS/Lambda' }])],
    ['a misspelt member', build({}, [{ ...directive, dimensions: [] }])],
    ['31 dimensions', build({}, [{ ...directive, Dimensions: [Array.from({ length: 31 }, () => 'stage')] }])],
    ['a line above 256 KB', build({ text: 'x'.repeat(256 * 1024) })],
  ])('refuses %s, which CloudWatch would drop', (_title, text) => {
    expect(() => readEmbedded(text)).toThrow();
  });
});
