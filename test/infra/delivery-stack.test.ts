import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { attemptTimeout, claimGrace, timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import { deployed } from '../../bench/model/deployed.ts';
import { repositoryRoot } from '../../lib/bundle.ts';
import { functions, slowLane } from '../../lib/functions.ts';
import { runbookAnchors } from '../../lib/runbook.ts';
import { functionsByFolder, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

/** Lambda collects this many batches of a queue at a time before it scales, and gives one CPU for this memory. */
const initialPollers = 5;
const megabytesPerCpu = 1_769;

/** Milliseconds of CPU time for one attempt with a new TLS connection, at most. */
const cpuPerAttempt = 6;

const alarmSchema = z.looseObject({ AlarmDescription: z.string(), AlarmActions: z.array(z.unknown()) });

let stage: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage({
    alarmEmail: 'ops@example.com',
    concurrentExecutions: '300',
    deliveryConcurrency: '7',
    slowDeliveryConcurrency: '9',
  });
});

afterAll(() => stage.remove());

describe('the consumers', () => {
  it.each([
    ['queue/intake', 'IntakeQueue', deployed.intake.batchSize, 30],
    ['queue/deliver', '(?<!Slow)DeliveryQueue', deployed.deliver.batchSize, 7],
    ['queue/deliver-slow', 'SlowDeliveryQueue', slowLane.batchSize, 9],
    ['queue/replay', 'ReplayQueue', 1, 3],
  ])(
    '%s takes batches from its queue and returns only the messages that failed',
    (folder, queue, batch, concurrency) => {
      stage.delivery.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        FunctionName: { Ref: functionsByFolder(stage.delivery).get(folder)?.logicalId },
        EventSourceArn: outputOf(`${queue}.*Arn`),
        BatchSize: batch,
        ScalingConfig: { MaximumConcurrency: concurrency },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        FilterCriteria: Match.absent(),
      });
    },
  );

  it('intake and delivery wait for more messages as long as batchWindow says', async () => {
    const patient = await synthesizeStage({ batchWindow: '2' });

    expect(windowsOf(patient)).toEqual([2, 2, slowLane.batchWindow, undefined]);
    await patient.remove();
  });
});

describe('the slow lane', () => {
  it('only the queue of the slow lane collects its batches for some seconds', () => {
    expect(windowsOf(stage)).toEqual([0, 0, slowLane.batchWindow, undefined]);
  });

  it('ten attempts a second that time out take at most 500 GB-ms each, and more attempts take less', () => {
    const gigabyteMs = (perSecond: number): number => {
      const collected = (perSecond * slowLane.batchWindow) / initialPollers;
      const batch = Math.min(slowLane.batchSize, collected);
      const { memory } = functions['queue/deliver-slow'];
      const ms = attemptTimeout + batch * (cpuPerAttempt / (memory / megabytesPerCpu));
      return ((memory / 1024) * ms) / batch;
    };

    expect(gigabyteMs(10)).toBeLessThanOrEqual(500);
    expect(gigabyteMs(20)).toBeLessThan(gigabyteMs(10));
    expect(gigabyteMs(1_000)).toBeLessThanOrEqual(gigabyteMs(20));
  });

  it('a full batch uses less than a tenth of the time limit of its attempts for its own CPU time', () => {
    const cpus = functions['queue/deliver-slow'].memory / megabytesPerCpu;

    expect((slowLane.batchSize * cpuPerAttempt) / cpus).toBeLessThan(attemptTimeout / 10);
  });

  it('a full batch can be claimed, posted and recorded before the function ends', () => {
    const { timeout, memory } = functions['queue/deliver-slow'];
    const ownTime = (slowLane.batchSize * cpuPerAttempt) / (memory / megabytesPerCpu);

    expect(timeout * 1000 - ownTime).toBeGreaterThan(timeToClaim);
    expect(ownTime).toBeLessThan(timeToPost - attemptTimeout);
    expect(ownTime).toBeLessThan(claimGrace);
  });
});

describe('the sweep', () => {
  it('the sweep runs every five minutes', () => {
    const sweep = functionsByFolder(stage.delivery).get('schedule/sweep')?.logicalId;

    stage.delivery.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [sweep, 'Arn'] } })],
    });
  });
});

describe('the recurring runs', () => {
  it.each([
    ['schedule/sweep', 300],
    ['schedule/audit', 3_600],
  ])('of %s are dropped when the next one is due', (folder, age) => {
    const logicalId = functionsByFolder(stage.delivery).get(folder)?.logicalId;

    stage.delivery.hasResourceProperties('AWS::Events::Rule', {
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [logicalId, 'Arn'] },
          RetryPolicy: { MaximumEventAgeInSeconds: age, MaximumRetryAttempts: 0 },
        }),
      ],
    });
    stage.delivery.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: logicalId },
      MaximumEventAgeInSeconds: age,
    });
  });
});

describe('the alarms', () => {
  it('each alarm names its severity and its heading in the runbook', () => {
    const anchors = alarms().map(({ AlarmDescription }) => AlarmDescription.split('docs/runbook.md#')[1]);

    expect(anchors.toSorted()).toEqual(Object.values(runbookAnchors).toSorted());
    for (const { AlarmDescription } of alarms()) expect(AlarmDescription).toMatch(/^\[(page|ticket)\] \S/);
  });

  it('each alarm names a heading that the runbook has', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/runbook.md'), 'utf8');
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll(' ', '-'),
    );

    expect(headings).toEqual(expect.arrayContaining(Object.values(runbookAnchors)));
  });

  it.each(['IntakeDeadLetters', 'DeliveryDeadLetters'])(
    'an alarm goes off at the first message in %s',
    (queue) => {
      stage.delivery.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [{ Name: 'QueueName', Value: outputOf(`${queue}.*QueueName`) }],
        Threshold: 1,
        EvaluationPeriods: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      });
    },
  );

  it.each([
    ['schedule/sweep', runbookAnchors.sweepSilent, 300],
    ['schedule/audit', runbookAnchors.auditSilent, 3600],
  ])(
    'an alarm goes off when %s has not succeeded three times in a row, or was not called',
    (folder, anchor, period) => {
      const of = (metric: string) =>
        Match.objectLike({
          Id: metric.toLowerCase(),
          MetricStat: {
            Metric: {
              Namespace: 'AWS/Lambda',
              MetricName: metric,
              Dimensions: [
                {
                  Name: 'FunctionName',
                  Value: { Ref: functionsByFolder(stage.delivery).get(folder)?.logicalId },
                },
              ],
            },
            Period: period,
            Stat: 'Sum',
          },
          ReturnData: false,
        });
      stage.delivery.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmDescription: Match.stringLikeRegexp(`#${anchor}$`),
        Metrics: [Match.objectLike({ Expression: 'invocations - errors' }), of('Invocations'), of('Errors')],
        Threshold: 1,
        ComparisonOperator: 'LessThanThreshold',
        EvaluationPeriods: 3,
        TreatMissingData: 'breaching',
      });
    },
  );

  it('an alarm pages when the API answers with server errors in three minutes of an hour, even with few requests', () => {
    stage.delivery.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp(`^\\[page\\].*#${runbookAnchors.apiErrors}$`),
      Namespace: 'AWS/ApiGateway',
      MetricName: '5XXError',
      Dimensions: [{ Name: 'ApiName', Value: 'webhooks-dev' }],
      // The share of failed requests.
      Statistic: 'Average',
      Threshold: 0.01,
      Period: 60,
      EvaluationPeriods: 60,
      DatapointsToAlarm: 3,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
    stage.api.hasResourceProperties('AWS::ApiGateway::RestApi', { Name: 'webhooks-dev' });
  });

  it.each([
    ['Errors', runbookAnchors.functionErrors],
    ['Throttles', runbookAnchors.functionThrottles],
  ])('go off when functions that consume queues have %s for a quarter of an hour', (MetricName, anchor) => {
    const of = (folder: string) =>
      Match.objectLike({
        Id: folder === 'queue/deliver-slow' ? 'deliverSlow' : folder.replace('queue/', ''),
        MetricStat: Match.objectLike({
          Metric: Match.objectLike({
            MetricName,
            Dimensions: [
              {
                Name: 'FunctionName',
                Value: { Ref: functionsByFolder(stage.delivery).get(folder)?.logicalId },
              },
            ],
          }),
          Stat: 'Sum',
          Period: 300,
        }),
      });
    stage.delivery.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp(`^\\[ticket\\].*#${anchor}$`),
      Metrics: [
        Match.objectLike({
          Expression: 'FILL(intake, 0) + FILL(deliver, 0) + FILL(deliverSlow, 0) + FILL(replay, 0)',
        }),
        of('queue/intake'),
        of('queue/deliver'),
        of('queue/deliver-slow'),
        of('queue/replay'),
      ],
      Threshold: 1,
      EvaluationPeriods: 3,
      TreatMissingData: 'notBreaching',
    });
  });

  it('alarms watch every function: those of the API by its responses, the others by their own metrics', () => {
    const watched = JSON.stringify(stage.delivery.findResources('AWS::CloudWatch::Alarm'));

    const unwatched = [...functionsByFolder(stage.delivery)].filter(
      ([, { logicalId }]) => !watched.includes(`"Ref":"${logicalId}"`),
    );

    expect(unwatched).toEqual([]);
  });

  it('alarms reach the given email address through a topic that CloudWatch may publish to', () => {
    stage.delivery.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
    stage.delivery.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      }),
    });
    expect(alarms().every(({ AlarmActions }) => AlarmActions.length === 1)).toBe(true);
  });
});

/** A value that the data stack puts out. */
function outputOf(name: string) {
  return {
    'Fn::GetStackOutput': Match.objectLike({
      StackName: 'webhooks-dev-data',
      OutputName: Match.stringLikeRegexp(name),
    }),
  };
}

function alarms() {
  const resources = Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm'));
  return resources.map((resource) => alarmSchema.parse(resource.Properties));
}

/** Seconds, of the intake, the delivery queue and the slow lane. */
function windowsOf({ delivery }: SynthesizedStage): readonly unknown[] {
  const mappings = Object.values(delivery.findResources('AWS::Lambda::EventSourceMapping'));
  return mappings.map(({ Properties }) => Properties.MaximumBatchingWindowInSeconds);
}
