import { beforeAll, describe, expect, it } from 'vitest';
import { metricNamespace, metrics } from '#shared/contract/metrics.ts';
import { waitAfterReturn } from '#shared/contract/returned-messages.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { alarmProperties, alarmStates, anyResource } from '../support/metrics/alarm.ts';
import type { Datum } from '../support/metrics/embedded-format.ts';
import { type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 22, 12);

let stage: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage({ stage: 'prod' });
});

/** Name, heading in the runbook, and minutes after which the alarm goes off. */
const queues = [
  ['intake', runbookAnchors.intakeBacklog, 4],
  ['delivery', runbookAnchors.deliveryBacklog, 4],
  ['slow_delivery', runbookAnchors.slowDeliveryBacklog, 5],
  ['replay', runbookAnchors.replayBacklog, 4],
] as const;

describe.each(queues)('the alarm over the %s queue', (queue, anchor, minutes) => {
  it('the alarm goes off when a message waits that no function takes', () => {
    const ages = Array.from({ length: 8 }, (_, index) => waits(index * minute));

    expect(firstAlarm(anchor, ages)).toBe(minutes);
  });

  it('the alarm goes off when a message fails again and again, which the metric of SQS leaves out', () => {
    expect(firstAlarm(anchor, failing(queue, 12))).toBeOneOf([4, 7]);
  });

  it('the alarm stays off when messages succeed at the eighth receive, or return to another queue', () => {
    const others = queues.filter(([name]) => name !== queue).flatMap(([name]) => failing(name, 12));

    expect(firstAlarm(anchor, [...failing(queue, 7), ...others])).toBe(-1);
  });
});

/** The age of the oldest message by SQS. */
function waits(age: number): Datum {
  return {
    namespace: 'AWS/SQS',
    name: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: anyResource },
    at: start + age,
    value: age / 1000,
    unit: 'Seconds',
  };
}

/** The ages of one message that returns so often, as the function measures them. */
function failing(queue: string, returns: number): readonly Datum[] {
  let age = 0;
  return Array.from({ length: returns }, (_, index) => {
    const datum = {
      namespace: metricNamespace,
      name: metrics.oldestReturned.name,
      dimensions: { queue, stage: 'prod' },
      at: start + age,
      value: age,
      unit: metrics.oldestReturned.unit,
    };
    age += (waitAfterReturn(index + 1) ?? 180) * 1000;
    return datum;
  });
}

/** The minute in which the alarm goes off; -1 if it stays off. */
function firstAlarm(anchor: string, data: readonly Datum[]): number {
  const states = alarmStates(alarmProperties.parse(alarmAt(anchor)), data, start, start + 20 * minute);
  return states.findIndex(({ state }) => state === 'ALARM');
}

function alarmAt(anchor: string): Readonly<Record<string, unknown>> {
  const found = Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm')).find(({ Properties }) =>
    String(Properties.AlarmDescription).endsWith(`#${anchor}`),
  );
  return found?.Properties ?? {};
}
