import { describe, expect, it } from 'vitest';
import { metricNamespace, metrics } from '#shared/contract/metrics.ts';
import { waitAfterReturn } from '#shared/contract/returned-messages.ts';
import { type EndpointGroup, endpointGroups } from '#shared/domain/endpoint-group.ts';
import { alarmProperties, alarmStates, anyResource } from '../support/metrics/alarm.ts';
import type { Datum } from '../support/metrics/embedded-format.ts';
import { synthesizeStage } from './synthesized-stage.ts';

const minute = 60_000;
const period = 5 * minute;

const stage = await synthesizeStage();

/** The states of the alarm below a heading of the runbook, from the time 0 on, over values of metrics. */
function statesOf(anchor: string, data: readonly Datum[], until: number, late = 0): readonly string[] {
  const found = Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm')).find(({ Properties }) =>
    String(Properties.AlarmDescription).endsWith(`#${anchor}`),
  );
  return alarmStates(alarmProperties.parse(found?.Properties), data, { until, late });
}

/** Failed attempts of each group in one period, of how many. */
type Attempts = { readonly [group in EndpointGroup]?: readonly [failed: number, of: number] };

const all = (failed: number, of: number): Attempts =>
  Object.fromEntries(endpointGroups.map((group) => [group, [failed, of]]));
/** Three groups, all of whose attempts fail. */
const few: Attempts = { 0: [9, 9], 1: [9, 9], 2: [9, 9] };
const twice = (attempts: Attempts): readonly Attempts[] => [attempts, attempts];

describe('the alarm over most attempts', () => {
  it.each<readonly [string, readonly Attempts[], readonly ('OK' | 'ALARM')[]]>([
    ['all attempts fail for ten minutes', twice(all(9, 9)), ['OK', 'ALARM']],
    ['an outage begins and ends within a period', [all(4, 10), all(9, 9), all(6, 10)], ['OK', 'OK', 'ALARM']],
    ['most attempts of three groups of five fail', twice({ ...few, 3: [0, 9], 4: [0, 9] }), ['OK', 'ALARM']],
    ['two of three groups fail', twice({ 0: [1, 1], 1: [1, 1], 2: [0, 1] }), ['OK', 'ALARM']],
    [
      'all attempts failed in two of the last three periods, and not longer',
      [all(9, 9), all(9, 9), all(0, 9), all(0, 9)],
      ['OK', 'ALARM', 'ALARM', 'OK'],
    ],
  ])('the alarm goes off when %s', (_case, periods, states) => {
    expect(statesOver(periods)).toEqual(states);
  });

  it.each<readonly [string, readonly Attempts[]]>([
    ['one endpoint with nearly all attempts is dead', twice({ ...all(0, 5), 3: [900, 900] })],
    ['half of the groups fail', twice({ ...all(0, 5), ...few, 3: [9, 9] })],
    ['only two groups have attempts', twice({ 0: [9, 9], 1: [9, 9] })],
    ['every endpoint fails half of its attempts', twice(all(5, 10))],
    ['most attempts fail for five minutes', [all(0, 9), all(9, 9), all(0, 9)]],
    ['nothing is attempted', [{}, {}, {}]],
  ])('the alarm stays off when %s', (_case, periods) => {
    expect(statesOver(periods)).not.toContain('ALARM');
  });

  it('attempts of another stage do not count', () => {
    expect(statesOver(twice(all(9, 9)), 'green')).toEqual(['OK', 'OK']);
  });

  function statesOver(periods: readonly Attempts[], stageName = 'dev'): readonly string[] {
    const data = periods.flatMap((attempts, index) =>
      endpointGroups.flatMap((group) => {
        const [failed, of] = attempts[group] ?? [0, 0];
        const { name, unit } = metrics[`attemptFailed${group}`];
        const dimensions = { stage: stageName };
        const datum = { namespace: metricNamespace, name, unit, dimensions, at: index * period };
        return Array.from({ length: of }, (_, count) => ({ ...datum, value: count < failed ? 1 : 0 }));
      }),
    );
    return statesOf('our-egress-or-dns-is-down', data, periods.length * period);
  }
});

/** Name, heading in the runbook, and minutes after which the alarm goes off. */
const queues = [
  ['intake', 'intake-waits-too-long', 4],
  ['delivery', 'deliveries-wait-too-long', 4],
  ['slow_delivery', 'deliveries-to-slow-endpoints-wait-too-long', 5],
  ['replay', 'a-bulk-replay-does-not-go-on', 4],
] as const;

describe.each(queues)('the alarm over the %s queue', (queue, anchor, minutes) => {
  /** The minute in which the alarm goes off; -1 if it stays off. */
  const firstAlarm = (data: readonly Datum[], late = 0) => statesOf(anchor, data, 20 * minute, late).indexOf('ALARM');

  it('the alarm goes off when a message waits that no function takes', () => {
    const ages = Array.from({ length: 8 }, (_, index) => waits(index * minute));

    expect(firstAlarm(ages)).toBe(minutes);
  });

  it('the alarm goes off when a message fails again and again, which the metric of SQS leaves out', () => {
    expect(firstAlarm(failing(queue, 12))).toBeOneOf([4, 7]);
  });

  it('the alarm goes off although CloudWatch gets each value three minutes late', () => {
    const ages = Array.from({ length: 8 }, (_, index) => waits(index * minute));

    expect(firstAlarm(ages, 3 * minute)).toBe(minutes + 3);
  });

  it('the alarm stays off when messages succeed at the eighth receive, or return to another queue', () => {
    const others = queues.filter(([name]) => name !== queue).flatMap(([name]) => failing(name, 12));

    expect(firstAlarm([...failing(queue, 7), ...others])).toBe(-1);
  });
});

/** The age of the oldest message by SQS. */
function waits(age: number): Datum {
  return {
    namespace: 'AWS/SQS',
    name: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: anyResource },
    at: age,
    value: age / 1000,
    unit: 'Seconds',
  };
}

/** The ages of one message that returns so often, as the function measures them. */
function failing(queue: string, returns: number): readonly Datum[] {
  const { name, unit } = metrics.oldestReturned;
  const datum = { namespace: metricNamespace, name, unit, dimensions: { queue, stage: 'dev' } };
  let age = 0;
  return Array.from({ length: returns }, (_, index) => {
    const at = age;
    age += (waitAfterReturn(index + 1) ?? 180) * 1000;
    return { ...datum, at, value: at };
  });
}
