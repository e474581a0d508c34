import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dataStackOutputs } from '#shared/contract/deployment.ts';
import { earlyReturns, waitAfterReturn } from '#shared/contract/returned-messages.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { longestOnQueue } from '#shared/domain/progress.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { functions } from '../../lib/functions/functions.ts';
import { slowLane } from '../../lib/functions/queue-functions.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const consumedQueue = z.looseObject({
  VisibilityTimeout: z.number(),
  RedrivePolicy: z.object({ maxReceiveCount: z.number() }),
});

const dev = await synthesizeStage();
const prod = await synthesizeStage(everyOption);

describe('the table', () => {
  it.each([
    ['retains', prod, true],
    ['does not retain', dev, false],
  ])(
    'table and key of a stage that %s its data are protected and can be restored accordingly',
    (_name, stage, isKept) => {
      expect(tableOf(stage).Replicas).toMatchObject([
        {
          DeletionProtectionEnabled: isKept,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: isKept },
        },
      ]);
      stage.data.hasResourceProperties('AWS::KMS::Key', {
        Description: Match.stringLikeRegexp('signing secrets'),
        PendingWindowInDays: isKept ? 30 : 7,
      });
    },
  );

  it('the table expires items by the attribute that docs/operating/upgrade.md sets after a restore', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operating/upgrade.md'), 'utf8');

    expect(page).toContain(`Enabled=true,AttributeName=${tableSchema.expiresAt}`);
  });
});

it('table and indexes are warm for what the settings say, an index for a quarter of it, and at least for the default', () => {
  const warm = (WriteUnitsPerSecond: number) => ({ WriteUnitsPerSecond, ReadUnitsPerSecond: 12_000 });

  const index = { WarmThroughput: warm(10_000) };
  expect(tableOf(prod)).toMatchObject({
    WarmThroughput: warm(40_000),
    GlobalSecondaryIndexes: [index, index],
  });
  expect(tableOf(dev)).not.toHaveProperty('WarmThroughput');
});

describe('the table with provisioned capacity', () => {
  it('table and indexes scale between the bounds of the settings, an index from a quarter of them', () => {
    const places = ['waiting', 'listed'];
    expect(tableOf(prod)).toMatchObject({
      BillingMode: 'PROVISIONED',
      WriteProvisionedThroughputSettings: { WriteCapacityAutoScalingSettings: scaling(50, 6_000) },
      GlobalSecondaryIndexes: places.map((IndexName) => ({
        IndexName,
        WriteProvisionedThroughputSettings: { WriteCapacityAutoScalingSettings: scaling(13, 6_000) },
      })),
      Replicas: [
        {
          ReadProvisionedThroughputSettings: { ReadCapacityAutoScalingSettings: scaling(30, 4_000) },
          GlobalSecondaryIndexes: places.map((IndexName) => ({
            IndexName,
            ReadProvisionedThroughputSettings: { ReadCapacityAutoScalingSettings: scaling(8, 4_000) },
          })),
        },
      ],
    });
  });

  it('on-demand capacity has no bounds', () => {
    expect(tableOf(dev)).toMatchObject({ BillingMode: 'PAY_PER_REQUEST' });
    expect(JSON.stringify(tableOf(dev))).not.toMatch(/Throughput|Scaling/);
  });
});

describe('the queues', () => {
  it('the queues move a message to their dead-letter queues only after five hours of failures', () => {
    const lives = consumedQueues().map(({ RedrivePolicy, VisibilityTimeout }) => {
      const receives = Array.from({ length: RedrivePolicy.maxReceiveCount }, (_, index) => index + 1);
      return receives.reduce((sum, count) => sum + (waitAfterReturn(count) ?? VisibilityTimeout), 0);
    });

    expect(lives).toHaveLength(4);
    expect(Math.min(...lives)).toBeGreaterThanOrEqual(5 * 3600);
  });

  it('a message that is received again and again leaves its queue before the audit calls it lost', () => {
    const lives = consumedQueues().map(
      ({ RedrivePolicy, VisibilityTimeout }) => RedrivePolicy.maxReceiveCount * VisibilityTimeout * 1000,
    );

    expect(longestOnQueue).toBeGreaterThanOrEqual(Math.max(...lives));
  });

  it('a message that fails again and again waits longer each time, up to the visibility timeout', () => {
    const waits = Array.from({ length: earlyReturns }, (_, index) => waitAfterReturn(index + 1) ?? NaN);
    const timeouts = consumedQueues().map(({ VisibilityTimeout }) => VisibilityTimeout);

    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(Math.max(...waits)).toBeLessThan(Math.min(...timeouts));
  });

  it.each([
    ['queue/intake', 'IntakeQueue', 'IntakeDeadLetters', 0],
    ['queue/deliver', 'DeliveryQueue', 'DeliveryDeadLetters', 0],
    ['queue/deliver-slow', 'SlowDeliveryQueue', 'DeliveryDeadLetters', slowLane.batchWindow],
    ['queue/replay', 'ReplayQueue', 'ReplayDeadLetters', 0],
  ] as const)(
    'the queue of %s hides a received message for six timeouts of its consumer',
    (folder, id, letters, window) => {
      const resources = Object.entries(dev.data.findResources('AWS::SQS::Queue'));
      const [queue] = resources.flatMap(([name, { Properties }]) => (name.startsWith(id) ? [Properties] : []));

      expect(queue).toMatchObject({
        VisibilityTimeout: 6 * functions[folder].timeout + window,
        RedrivePolicy: {
          deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(`^${letters}`), 'Arn'] },
        },
      });
    },
  );

  it('dead-letter queues keep messages longer than their source queues', () => {
    const sources = queues((properties) => 'RedrivePolicy' in properties);
    const deadLetters = queues((properties) => !('RedrivePolicy' in properties));

    const days = (all: typeof sources) => all.map(({ MessageRetentionPeriod: seconds }) => Number(seconds) / 86_400);
    expect(days(sources)).toEqual([4, 4, 4, 4]);
    expect(days(deadLetters)).toEqual([14, 14, 14]);
  });
});

describe('the event bus', () => {
  it('a stage has one only if a setting asks for it', () => {
    dev.data.resourceCountIs('AWS::Events::EventBus', 0);
    dev.data.resourceCountIs('AWS::Events::Rule', 0);
  });

  it('sends the detail of its events to the intake queue, and what fails to a queue of its own', () => {
    prod.data.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^IntakeBus') },
      Name: 'webhooks-prod-intake',
      EventPattern: { source: ['run-engine'], 'detail-type': ['intake-message'] },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^IntakeQueue'), 'Arn'] },
          DeadLetterConfig: {
            Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^IntakeBusDeadLetters'), 'Arn'] },
          },
          InputPath: '$.detail',
          SqsParameters: Match.absent(),
        },
      ],
    });
  });
});

it('the outputs name everything that an operator needs to reach a deployed stage', () => {
  const names = Object.keys(dev.data.findOutputs('*')).filter((name) => !/^(Exports|Publish)Output/.test(name));
  const others = ['IntakeQueueArn', 'ScheduleGroupName', 'SecretsKeyArn'];

  expect(names.toSorted()).toEqual([...Object.values(dataStackOutputs), ...others].toSorted());
});

function tableOf(stage: SynthesizedStage) {
  const [table] = Object.values(stage.data.findResources('AWS::DynamoDB::GlobalTable'));
  return table?.Properties;
}

/** CloudFormation changes the mode of an existing table only with a seed for each capacity that scales. */
function scaling(min: number, max: number) {
  return {
    MinCapacity: min,
    MaxCapacity: max,
    SeedCapacity: min,
    TargetTrackingScalingPolicyConfiguration: { TargetValue: 80 },
  };
}

function queues(wanted: (properties: object) => boolean): Record<string, unknown>[] {
  const resources = Object.values(dev.data.findResources('AWS::SQS::Queue'));
  return resources.map((resource) => resource.Properties).filter(wanted);
}

function consumedQueues() {
  return consumedQueue.array().parse(queues((properties) => 'RedrivePolicy' in properties));
}
