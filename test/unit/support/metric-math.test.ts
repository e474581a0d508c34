import { describe, expect, it } from 'vitest';
import { alarmStates } from '../../support/metrics/alarm.ts';
import { evaluate } from '../../support/metrics/metric-math.ts';

const periods = [0, 1, 2];
const series = {
  m1: new Map([
    [0, 1],
    [1, 0.2],
  ]),
  m2: new Map([[1, 3]]),
  none: new Map<number, number>(),
};

describe('evaluate()', () => {
  it.each([
    ['m1 + m2', [[1, 3.2]]],
    [
      'FILL(m2, -1)',
      [
        [0, -1],
        [1, 3],
        [2, -1],
      ],
    ],
    [
      'FILL(none, 0) + 1',
      [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
    ],
    [
      'm1 > 0.5',
      [
        [0, 1],
        [1, 0],
      ],
    ],
    [
      'IF(m1 > 0.5, 10, m2)',
      [
        [0, 10],
        [1, 3],
      ],
    ],
    [
      'IF(FILL(m1, 0) >= 0.2 AND m1 < 1, 1, 0)',
      [
        [0, 0],
        [1, 1],
      ],
    ],
    [
      '(m1 + 1) * 2 - 4 / 2',
      [
        [0, 2],
        [1, 0.3999999999999999],
      ],
    ],
    [
      '1 + 1 == 2',
      [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
    ],
  ])('%s', (expression, expected) => {
    expect([...evaluate(expression, { series, periods })]).toEqual(expected);
  });

  it.each(['m3', 'm1 +', 'RATE(m1)', 'm1 m2', 'm1 ? 1', 'IF(m1, 1)'])('refuses %s', (expression) => {
    expect(() => evaluate(expression, { series, periods })).toThrow(/expression|evaluator/);
  });
});

describe('alarmStates()', () => {
  const minute = 60_000;
  const alarm = {
    Metrics: [
      { Id: 'expr', Expression: 'FILL(failed, -1) > 0.5', ReturnData: true },
      {
        Id: 'failed',
        ReturnData: false,
        MetricStat: {
          Metric: { Namespace: 'N', MetricName: 'Failed', Dimensions: [{ Name: 'stage', Value: 'prod' }] },
          Period: 60,
          Stat: 'Average',
        },
      },
    ],
    EvaluationPeriods: 3,
    DatapointsToAlarm: 2,
    Threshold: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
  };
  const datum = (minutes: number, value: number, stage = 'prod') => ({
    namespace: 'N',
    name: 'Failed',
    unit: 'Count',
    dimensions: { stage },
    value,
    at: minutes * minute + 30_000,
  });

  it('is on while enough of the last periods breach, by the average of each period', () => {
    const data = [0, 1, 1, 1, 0, 0].flatMap((value, index) => [datum(index, value), datum(index, 1)]);

    const states = alarmStates(alarm, [...data, datum(0, 1, 'other')], 0, 6 * minute);

    expect(states.map(({ value, state }) => [value, state])).toEqual([
      [0, 'OK'],
      [1, 'OK'],
      [1, 'ALARM'],
      [1, 'ALARM'],
      [0, 'ALARM'],
      [0, 'OK'],
    ]);
  });

  it('has a value in a period without data when the expression fills it', () => {
    expect(alarmStates(alarm, [], 0, minute)).toEqual([{ at: 0, value: 0, state: 'OK' }]);
  });
});
