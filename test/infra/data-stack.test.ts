import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { dataStackOutputs } from '#shared/contract/deployment.ts';
import { earlyReturns, waitAfterReturn } from '#shared/contract/returned-messages.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { longestOnQueue } from '#shared/domain/progress.ts';
import { repositoryRoot } from '../../lib/bundle.ts';
import { functions, slowLane } from '../../lib/functions.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const consumedQueue = z.looseObject({
  VisibilityTimeout: z.number(),
  RedrivePolicy: z.object({ maxReceiveCount: z.number() }),
});

let dev: SynthesizedStage;
let prod: SynthesizedStage;
let provisioned: SynthesizedStage;

beforeAll(async () => {
  dev = await synthesizeStage();
  prod = await synthesizeStage({ stage: 'prod' });
  provisioned = await synthesizeStage(everyOption);
});

describe('the table', () => {
  it.each([
    ['prod', 'Retain', true],
    ['dev', 'Delete', false],
  ])(
    'the table of stage %s has the policy %s and is protected and restorable: %s',
    (name, policy, isKept) => {
      (name === 'dev' ? dev : prod).data.hasResource('AWS::DynamoDB::GlobalTable', {
        DeletionPolicy: policy,
        UpdateReplacePolicy: policy,
        Properties: {
          Replicas: [
            Match.objectLike({
              DeletionProtectionEnabled: isKept,
              ...(isKept && { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }),
            }),
          ],
        },
      });
    },
  );

  it('the table expires items by the attribute that docs/operating.md sets after a restore', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operating.md'), 'utf8');

    expect(page).toContain(`Enabled=true,AttributeName=${tableSchema.expiresAt}`);
  });
});

describe('the table with provisioned capacity', () => {
  it('table and indexes scale between the bounds of the settings, an index from a quarter of them', () => {
    const places = ['waiting', 'listed'];
    expect(tableOf(provisioned)).toMatchObject({
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
    expect(tableOf(prod)).toMatchObject({ BillingMode: 'PAY_PER_REQUEST' });
    expect(JSON.stringify(tableOf(prod))).not.toMatch(/Throughput|Scaling/);
  });
});

it('the key of the signing secrets rotates, and outlives its stack on a stage that retains its data', () => {
  prod.data.hasResource('AWS::KMS::Key', {
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: { EnableKeyRotation: true },
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
      const [queue] = resources.flatMap(([name, { Properties }]) =>
        name.startsWith(id) ? [Properties] : [],
      );

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

    const days = (all: typeof sources) =>
      all.map(({ MessageRetentionPeriod: seconds }) => Number(seconds) / 86_400);
    expect(days(sources)).toEqual([4, 4, 4, 4]);
    expect(days(deadLetters)).toEqual([14, 14, 14]);
  });

  it('all seven queues are encrypted and refuse unencrypted transport', () => {
    dev.data.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
    dev.data.resourcePropertiesCountIs(
      'AWS::SQS::QueuePolicy',
      {
        PolicyDocument: Match.objectLike({
          Statement: [
            Match.objectLike({
              Action: 'sqs:*',
              Effect: 'Deny',
              Principal: { AWS: '*' },
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            }),
          ],
        }),
      },
      7,
    );
  });
});

describe('the retry schedules', () => {
  it('the group of the retry schedules is never retained, because it would block the next deployment', () => {
    prod.data.hasResource('AWS::Scheduler::ScheduleGroup', { DeletionPolicy: 'Delete' });
  });
});

it('the outputs name everything that an operator needs to reach a deployed stage', () => {
  const names = Object.keys(dev.data.findOutputs('*')).filter(
    (name) => !/^(Exports|Publish)Output/.test(name),
  );
  const others = ['IntakeQueueArn', 'ScheduleGroupName', 'SecretsKeyArn'];

  expect(names.toSorted()).toEqual([...Object.values(dataStackOutputs), ...others].toSorted());
});

function tableOf(stage: SynthesizedStage): Record<string, unknown> {
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
