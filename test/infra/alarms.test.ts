import { beforeAll, describe, expect, it } from 'vitest';
import { endpointGroups } from '#shared/domain/endpoint-group.ts';
import { runbookAnchors as anchors, busRunbookAnchor } from '../../lib/runbook.ts';
import { type Alarm, alarmsOf } from './alarms.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

let stage: SynthesizedStage;
let alarms: readonly Alarm[];

beforeAll(async () => {
  stage = await synthesizeStage(everyOption);
  alarms = alarmsOf(stage);
});

const groupsThat = (does: string) =>
  endpointGroups.map((group) => `(FILL(Average AttemptFailed of ${group} prod, -1) ${does})`).join(' + ');

const sumOf = (metrics: readonly string[]) => metrics.map((metric) => `FILL(${metric}, 0)`).join(' + ');
const ofConsumers = (name: string) =>
  sumOf(['intake', 'deliver', 'deliver-slow', 'replay'].map((queue) => `Sum ${name} of queue/${queue}`));
const throttles = sumOf(
  ['table', 'waiting table', 'listed table'].flatMap((place) =>
    ['Read', 'Write'].map((kind) => `Sum ${kind}ThrottleEvents of ${place}`),
  ),
);
const visible = (queue: string) => `Maximum ApproximateNumberOfMessagesVisible of ${queue}`;
const successes = (folder: string) => `Sum Invocations of ${folder} - Sum Errors of ${folder}`;
const audited = (name: string) => `Maximum ${name} of webhooks prod`;
/** In seconds, of the oldest message by SQS and by the function. */
const oldest = (queue: string, name: string) => {
  const waiting = `FILL(Maximum ApproximateAgeOfOldestMessage of ${queue}, 0)`;
  const returned = `FILL(Maximum OldestReturnedAge of ${name} prod, 0) / 1000`;
  return `IF(${waiting} > ${returned}, ${waiting}, ${returned})`;
};
const atOnce = (threshold: number) => `>= ${threshold} in 1 of 1 periods of 60 s`;

/** Heading in the runbook, severity, what the alarm watches, and when it goes off. */
const table: readonly (readonly [string, string, string, string])[] = [
  [
    anchors.mostAttemptsFail,
    'page',
    `IF((${groupsThat('>= 0')} >= 3) AND (${groupsThat('> 0.5')} * 2 > ${groupsThat('>= 0')}), 1, 0)`,
    '>= 1 in 2 of 3 periods of 300 s',
  ],
  [anchors.intakeDeadLetters, 'page', visible('intake dead letters'), atOnce(1)],
  [anchors.deliveryDeadLetters, 'page', visible('delivery dead letters'), atOnce(1)],
  [anchors.replayDeadLetters, 'ticket', visible('replay dead letters'), atOnce(1)],
  [anchors.intakeBacklog, 'page', oldest('intake queue', 'intake'), atOnce(240)],
  [anchors.deliveryBacklog, 'page', oldest('delivery queue', 'delivery'), atOnce(240)],
  [anchors.slowDeliveryBacklog, 'ticket', oldest('slow delivery queue', 'slow_delivery'), atOnce(300)],
  [anchors.replayBacklog, 'ticket', oldest('replay queue', 'replay'), atOnce(240)],
  // The share of failed requests: it must page also with few requests.
  [anchors.apiErrors, 'page', 'Average 5XXError of webhooks-prod', '>= 0.01 in 3 of 60 periods of 60 s'],
  [anchors.functionErrors, 'ticket', ofConsumers('Errors'), '>= 1 in 3 of 3 periods of 300 s'],
  [anchors.functionThrottles, 'ticket', ofConsumers('Throttles'), '>= 1 in 3 of 3 periods of 300 s'],
  [anchors.tableThrottles, 'ticket', throttles, '>= 1 in 3 of 3 periods of 300 s'],
  [
    anchors.sweepSilent,
    'ticket',
    successes('schedule/sweep'),
    '< 1 in 3 of 3 periods of 300 s, or without data',
  ],
  [
    anchors.auditSilent,
    'ticket',
    successes('schedule/audit'),
    '< 1 in 3 of 3 periods of 3600 s, or without data',
  ],
  [
    anchors.overdueDeliveries,
    'ticket',
    'Maximum OldestOverdueAge of prod',
    '>= 1800000 in 1 of 1 periods of 300 s',
  ],
  [anchors.strandedDeliveries, 'ticket', audited('StrandedDeliveries'), '>= 1 in 1 of 1 periods of 3600 s'],
  [anchors.stalledReplays, 'ticket', audited('StalledReplays'), '>= 1 in 1 of 1 periods of 3600 s'],
  [anchors.auditIncomplete, 'ticket', audited('AuditIncomplete'), '>= 1 in 3 of 3 periods of 3600 s'],
  [busRunbookAnchor, 'page', visible('webhooks-prod-event-bus-dead-letters'), atOnce(1)],
  [busRunbookAnchor, 'page', 'Sum FailedInvocations of webhooks-prod webhooks-prod-intake', atOnce(1)],
];

describe('the alarms', () => {
  it.each(table)(
    'the alarm of runbook.md#%s is a %s, and goes off when its row says',
    (anchor, severity, watches, goesOff) => {
      const found = alarms.filter((alarm) => alarm.anchor === anchor);

      expect(found).toContainEqual(expect.objectContaining({ severity, watches, goesOff, actions: 1 }));
    },
  );

  it('no alarm is without a row here', () => {
    expect(alarms.map(({ anchor }) => anchor).toSorted()).toEqual(table.map(([anchor]) => anchor).toSorted());
  });

  it('no alarm watches more than the ten metrics that CloudWatch accepts', () => {
    expect(Math.max(...alarms.map(({ metrics }) => metrics.length))).toBeLessThanOrEqual(10);
  });

  it('only a stage with an event bus has its alarms', async () => {
    const plain = alarmsOf(await synthesizeStage());

    expect(plain.map(({ anchor }) => anchor).toSorted()).toEqual(Object.values(anchors).toSorted());
  });

  it('alarms reach the given email address', () => {
    stage.delivery.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
  });
});
