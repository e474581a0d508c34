import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { repositoryRoot } from '../../lib/bundle.ts';
import { functionsByFolder, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

let dev: SynthesizedStage;
let prod: SynthesizedStage;

beforeAll(async () => {
  dev = await synthesizeStage();
  prod = await synthesizeStage({ stage: 'prod' });
});

afterAll(() => Promise.all([dev.remove(), prod.remove()]));

describe('the table', () => {
  it('has two string keys, two sparse indexes of keys only, on-demand billing and expiry', () => {
    dev.data.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: keys('pk', 'sk'),
      GlobalSecondaryIndexes: [
        index('waiting', 'waiting_pk', 'waiting_sk'),
        index('listed', 'listed_pk', 'listed_sk'),
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    });
  });

  it('outlives its stack on a stage that is not thrown away, and can be restored', () => {
    prod.data.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      },
    });
  });

  it('expires what docs/operating.md has expire again after a restore', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operating.md'), 'utf8');

    expect(page).toContain(`Enabled=true,AttributeName=${tableSchema.expiresAt}`);
  });

  it('goes with its stack on a throw-away stage', () => {
    dev.data.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] },
    });
  });
});

describe('the key of the signing secrets', () => {
  it('rotates, and outlives its stack on a stage that is not thrown away', () => {
    prod.data.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    });
  });
});

describe('the queues', () => {
  it.each(['Intake', 'Delivery'])('%s moves to its dead-letter queue only what failed for hours', (name) => {
    dev.data.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^${name}DeadLetters`), 'Arn'] },
        maxReceiveCount: 100,
      },
    });
  });

  it('hide a message for at least six timeouts of their consumer', () => {
    const functions = functionsByFolder(dev.delivery);
    const timeouts = ['queue/intake', 'queue/deliver'].map((folder) => functions.get(folder)?.Timeout ?? NaN);

    const consumed = queues((properties) => 'RedrivePolicy' in properties);

    expect(consumed).toHaveLength(2);
    for (const { VisibilityTimeout } of consumed) {
      expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * Math.max(...timeouts));
    }
  });

  it('keep dead letters longer than the messages they were', () => {
    const sources = queues((properties) => 'RedrivePolicy' in properties);
    const deadLetters = queues((properties) => !('RedrivePolicy' in properties));

    expect(sources.map(retention)).toEqual([345_600, 345_600]);
    expect(deadLetters.map(retention)).toEqual([1_209_600, 1_209_600]);
  });

  it('are encrypted and refuse plain transport, all four', () => {
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
      4,
    );
  });
});

describe('the retry schedules', () => {
  it('are never kept: a group that is left would stand in the way of the next deployment', () => {
    prod.data.hasResource('AWS::Scheduler::ScheduleGroup', { DeletionPolicy: 'Delete' });
  });

  it('have a group of their own, whose schedules alone may use the role', () => {
    dev.data.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
    dev.data.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: Match.objectLike({
        Statement: [
          Match.objectLike({
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: {
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                'aws:SourceArn': { 'Fn::GetAtt': [Match.stringLikeRegexp('^Retries'), 'Arn'] },
              },
            },
          }),
        ],
      }),
    });
  });

  it('may send to the delivery queue and do nothing else', () => {
    dev.data.resourceCountIs('AWS::IAM::Policy', 1);
    dev.data.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          {
            Action: 'sqs:SendMessage',
            Effect: 'Allow',
            Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('^DeliveryQueue'), 'Arn'] },
          },
        ],
        Version: '2012-10-17',
      },
    });
  });
});

describe('the outputs', () => {
  it('name what an operator needs to reach a deployed stage', () => {
    const names = Object.keys(dev.data.findOutputs('*')).filter(
      (name) => !/^(Exports|Publish)Output/.test(name),
    );

    expect(names.toSorted()).toEqual([
      'DeliveryDeadLetterQueueUrl',
      'DeliveryQueueUrl',
      'IntakeDeadLetterQueueUrl',
      'IntakeQueueArn',
      'IntakeQueueUrl',
      'ScheduleGroupName',
      'SecretsKeyArn',
      'TableName',
    ]);
  });
});

function keys(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
}

function index(name: string, partition: string, sort: string) {
  return { IndexName: name, KeySchema: keys(partition, sort), Projection: { ProjectionType: 'KEYS_ONLY' } };
}

function queues(wanted: (properties: object) => boolean): Record<string, unknown>[] {
  const resources = Object.values(dev.data.findResources('AWS::SQS::Queue'));
  return resources.map((resource) => resource.Properties).filter(wanted);
}

function retention(properties: Record<string, unknown>): unknown {
  return properties.MessageRetentionPeriod;
}
