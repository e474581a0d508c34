import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type AuditedDelivery, auditSpan, longestOnQueue, progressOf } from '#shared/domain/progress.ts';
import type { Audit } from '#shared/operations/delivery/audit-deliveries.ts';
import { sweepGrace } from '#shared/operations/delivery/sweep-waiting.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { captureOutput } from '../support/aws/lambda-events.ts';
import { functionsByFolder, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const minute = 60_000;
const hour = 60 * minute;

const queueSchema = z.looseObject({
  VisibilityTimeout: z.number(),
  RedrivePolicy: z.object({ maxReceiveCount: z.number() }),
});
const ruleSchema = z.looseObject({
  ScheduleExpression: z.string(),
  State: z.string(),
  Targets: z.array(z.looseObject({ Arn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }) })),
});
const alarmSchema = z.looseObject({
  AlarmDescription: z.string(),
  MetricName: z.string(),
  Namespace: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
  Statistic: z.string(),
  Period: z.number(),
  EvaluationPeriods: z.number(),
  Threshold: z.number(),
  ComparisonOperator: z.string(),
});
const publishedSchema = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.tuple([
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ]),
  }),
});

let stage: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage({ stage: 'blue' });
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(() => stage.remove());

describe('the audit', () => {
  it('the audit runs every hour', () => {
    expect(rateOf('schedule/audit')).toBe(hour);
  });

  it('the audit reads each delivery three times, so that it can miss one of them', () => {
    const { from, to } = auditSpan(10 * hour);

    expect((to - from) / rateOf('schedule/audit')).toBe(3);
  });

  it('the audit has the longest timeout that Lambda allows', () => {
    expect(functionsByFolder(stage.delivery).get('schedule/audit')?.Timeout).toBe(900);
  });
});

describe('assumptions of the audit', () => {
  it('a message that is received again and again leaves its queue within six hours', () => {
    const lives = Object.values(stage.data.findResources('AWS::SQS::Queue'))
      .filter(({ Properties }) => 'RedrivePolicy' in Properties)
      .map(({ Properties }) => queueSchema.parse(Properties))
      .map((queue) => queue.RedrivePolicy.maxReceiveCount * queue.VisibilityTimeout * 1000);

    expect(lives).toHaveLength(4);
    expect(longestOnQueue).toBeGreaterThanOrEqual(Math.max(...lives));
  });

  it('two sweeps run before a delivery counts as overdue', () => {
    const now = 100 * hour;
    const waited = (dueAt: number): Omit<AuditedDelivery, 'key'> => ({
      status: 'pending',
      createdAt: 0,
      leaseUntil: null,
      dueAt,
    });
    const interval = rateOf('schedule/sweep');

    expect(progressOf(waited(now - sweepGrace - 2 * interval), now, true)).toBe('waiting');
    expect(progressOf(waited(now - sweepGrace - 3 * interval), now, true)).toBe('overdue');
  });
});

describe('the alarm over stranded deliveries', () => {
  it('the alarm over stranded deliveries goes off at the first one in an hour', () => {
    expect(alarmAt(runbookAnchors.strandedDeliveries)).toMatchObject({
      Statistic: 'Maximum',
      Period: rateOf('schedule/audit') / 1000,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
  });

  it('the alarm over stranded deliveries watches the metric that the function publishes', async () => {
    const { Namespace, MetricName, Dimensions } = alarmAt(runbookAnchors.strandedDeliveries);

    const published = await publish(3);

    const [metrics] = published._aws.CloudWatchMetrics;
    expect(metrics.Namespace).toBe(Namespace);
    expect(metrics.Metrics.map(({ Name }) => Name)).toContain(MetricName);
    expect(published[MetricName]).toBe(3);
    expect(metrics.Dimensions.map((names) => names.toSorted())).toEqual([
      Dimensions.map(({ Name }) => Name).toSorted(),
    ]);
    expect(published).toMatchObject(Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])));
  });
});

describe('the alarm over an audit that is not done in time', () => {
  it('the alarm over incomplete audits goes off after three in a row, by a metric that the function publishes', async () => {
    const alarm = alarmAt(runbookAnchors.auditIncomplete);

    const published = await publish(0);

    expect(alarm).toMatchObject({ Statistic: 'Maximum', Period: 3600, EvaluationPeriods: 3, Threshold: 1 });
    expect(published[alarm.MetricName]).toBe(0);
    expect(alarm.Dimensions).toEqual(alarmAt(runbookAnchors.strandedDeliveries).Dimensions);
  });
});

/** The metrics that the function writes, with the environment of the template. */
async function publish(stranded: number) {
  const variables = functionsByFolder(stage.delivery).get('schedule/audit')?.Environment?.Variables ?? {};
  vi.stubEnv('STAGE', z.string().parse(variables.STAGE));
  const { publishAudit } = await import('#shared/runtime/audit-metrics.ts');
  const output = captureOutput();
  const found: Audit = {
    from: 0,
    to: 1,
    complete: true,
    unfinished: [],
    deliveries: { pending: stranded, delivered: 0, failed: 0 },
    pending: { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded },
    oldestPending: null,
    oldestStranded: null,
    stranded: [],
    woken: 0,
    stalledReplays: [],
  };
  publishAudit(found, 1);
  return publishedSchema.parse(JSON.parse(output()));
}

function alarmAt(anchor: string) {
  const alarms = Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm'));
  const found = alarms
    .map(({ Properties }) => Properties)
    .filter(({ AlarmDescription }) => String(AlarmDescription).endsWith(`#${anchor}`));
  const [alarm] = found;
  if (alarm === undefined || found.length > 1) throw new Error(`${found.length} alarms name ${anchor}`);
  return alarmSchema.parse(alarm);
}

/** Milliseconds between two runs of a function. */
function rateOf(folder: string): number {
  const rules = Object.values(stage.delivery.findResources('AWS::Events::Rule'))
    .map(({ Properties }) => ruleSchema.parse(Properties))
    .filter(({ Targets }) => Targets.some(({ Arn }) => Arn['Fn::GetAtt'][0] === logicalIdOf(folder)));
  expect(rules).toMatchObject([{ State: 'ENABLED' }]);
  const [, count, unit = ''] =
    /^rate\((\d+) (minute|hour)s?\)$/.exec(rules[0]?.ScheduleExpression ?? '') ?? [];
  return Number(count) * (unit === 'hour' ? hour : minute);
}

function logicalIdOf(folder: string): string | undefined {
  return functionsByFolder(stage.delivery).get(folder)?.logicalId;
}
