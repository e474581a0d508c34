import { beforeAll, describe, expect, it } from 'vitest';
import { metricNamespace, metrics } from '#shared/contract/metrics.ts';
import { type EndpointGroup, endpointGroups } from '#shared/domain/endpoint-group.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { type AlarmProperties, alarmProperties, alarmStates } from '../support/metrics/alarm.ts';
import { type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const period = 5 * 60_000;

/** Failed attempts of each group in one period, of how many. */
type Attempts = { readonly [group in EndpointGroup]?: readonly [failed: number, of: number] };

let stage: SynthesizedStage;
let alarm: AlarmProperties;

beforeAll(async () => {
  stage = await synthesizeStage({ stage: 'prod' });
  const found = Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm')).find(({ Properties }) =>
    String(Properties.AlarmDescription).endsWith(`#${runbookAnchors.mostAttemptsFail}`),
  );
  alarm = alarmProperties.parse(found?.Properties);
});

const all = (failed: number, of: number): Attempts =>
  Object.fromEntries(endpointGroups.map((group) => [group, [failed, of]]));
/** Three groups, all of whose attempts fail. */
const few: Attempts = { 0: [9, 9], 1: [9, 9], 2: [9, 9] };
const twice = (attempts: Attempts): readonly Attempts[] => [attempts, attempts];

describe('the alarm over most attempts, evaluated over values', () => {
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
});

function statesOver(periods: readonly Attempts[], stageName = 'prod'): readonly string[] {
  const { name, unit } = metrics.attemptFailed;
  const data = periods.flatMap((attempts, index) =>
    endpointGroups.flatMap((group) => {
      const [failed, of] = attempts[group] ?? [0, 0];
      const dimensions = { stage: stageName, endpoint_group: group };
      const datum = { namespace: metricNamespace, name, unit, dimensions, at: index * period };
      return Array.from({ length: of }, (_, count) => ({ ...datum, value: count < failed ? 1 : 0 }));
    }),
  );
  return alarmStates(alarm, data, 0, periods.length * period).map(({ state }) => state);
}
