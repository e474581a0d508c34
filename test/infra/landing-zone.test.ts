import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { stageOutput } from '#shared/contract/deployment.ts';
import { everyOption, landingZone, ownZone, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const zone = await synthesizeStage(landingZone);
const backed = await synthesizeStage(everyOption);
const retained = await synthesizeStage(ownZone);

const templatesOf = ({ data, api, delivery }: SynthesizedStage): readonly Template[] => [data, api, delivery];
const functionsOf = (stage: SynthesizedStage) =>
  templatesOf(stage).flatMap((template) => Object.values(template.findResources('AWS::Lambda::Function')));

describe('vpcId', () => {
  it('exactly the functions that POST to endpoints are in the given subnets, with a group that lets nothing in', () => {
    const inside = functionsOf(zone).filter(({ Properties }) => Properties.VpcConfig !== undefined);

    expect(inside.map(({ Properties }) => Properties.Description).toSorted()).toEqual(
      ['api/register-webhook', 'queue/deliver', 'queue/deliver-slow'].map((folder) => `prod: ${folder}`),
    );
    for (const { Properties } of inside)
      expect(Properties.VpcConfig.SubnetIds).toEqual(['subnet-0a1b2c3d', 'subnet-4e5f6a7b']);
    zone.network?.hasResourceProperties('AWS::EC2::SecurityGroup', {
      VpcId: landingZone.vpcId,
      SecurityGroupIngress: Match.absent(),
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '0.0.0.0/0', IpProtocol: 'tcp' })],
    });
  });

  it('creates nothing else in the network', () => {
    expect(Object.values(zone.network?.toJSON().Resources)).toMatchObject([{ Type: 'AWS::EC2::SecurityGroup' }]);
  });

  it('customers read the addresses that the setting names', () => {
    expect(zone.functions.get('api/get-addresses')?.environment).toMatchObject({
      SOURCE_ADDRESSES: '203.0.113.7,203.0.113.8',
    });
  });
});

it('stackPrefix: the stacks have these names, and each names its stage for the commands', () => {
  expect(zone.assembly.stacks.map(({ stackName }) => stackName).toSorted()).toEqual(
    ['api', 'data', 'delivery', 'vpc'].map((part) => `Acme-hooks-${part}`),
  );
  for (const template of templatesOf(zone)) template.hasOutput(stageOutput, { Value: 'prod' });
  for (const template of templatesOf(retained)) expect(template.findOutputs(stageOutput)).toEqual({});
});

it.each([
  ['an ARN', zone, 'arn:aws:iam::123456789012:policy/teams/boundary'],
  ['a name', retained, Match.objectLike({ 'Fn::Join': Match.anyValue() })],
])('permissionsBoundary: %s bounds every role', (_, stage, boundary) => {
  for (const template of templatesOf(stage))
    template.allResourcesProperties('AWS::IAM::Role', { PermissionsBoundary: boundary });
});

describe('tracing', () => {
  it('active: X-Ray traces the API and every function, whose roles may send traces and nothing more', () => {
    zone.api.hasResourceProperties('AWS::ApiGateway::Stage', { TracingEnabled: true });
    for (const { Properties } of functionsOf(zone)) expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
    const granted = zone.files.join().match(/xray:\w+/g);
    expect(new Set(granted)).toEqual(new Set(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']));
    expect(granted).toHaveLength(2 * functionsOf(zone).length);
  });

  it('by default, nothing is traced', () => {
    expect(retained.files.join()).not.toMatch(/xray|Tracing/);
  });
});

describe('removalPolicy', () => {
  const policies = (stage: SynthesizedStage) =>
    templatesOf(stage).flatMap((template) =>
      Object.values<{ Type: string; DeletionPolicy?: string }>(template.toJSON().Resources).flatMap(
        ({ Type, DeletionPolicy = 'Delete' }) => (DeletionPolicy === 'Delete' ? [] : [Type]),
      ),
    );
  const ofAccount = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'];

  it('destroy: a protected stage leaves nothing behind, and is still protected', () => {
    expect(new Set(policies(zone))).toEqual(new Set(ofAccount));
    zone.data.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [Match.objectLike({ DeletionProtectionEnabled: true })],
    });
    expect(zone.assembly.stacks.map(({ terminationProtection }) => terminationProtection)).not.toContain(false);
  });
});

describe('backupDays', () => {
  it('a daily backup of the table goes into a vault with a key of its own, and is kept for that time', () => {
    const { data } = backed;
    const [vault] = Object.keys(data.findResources('AWS::Backup::BackupVault'));
    const [table] = Object.keys(data.findResources('AWS::DynamoDB::GlobalTable'));
    const lifecycle = { DeleteAfterDays: 35 };

    data.hasResourceProperties('AWS::Backup::BackupPlan', {
      BackupPlan: {
        BackupPlanRule: [
          {
            RuleName: 'daily',
            TargetBackupVault: { 'Fn::GetAtt': [vault, 'BackupVaultName'] },
            Lifecycle: lifecycle,
            CopyActions: [{ DestinationBackupVaultArn: everyOption.backupCopyTo, Lifecycle: lifecycle }],
          },
        ],
      },
    });
    expect(JSON.stringify(data.findResources('AWS::Backup::BackupSelection'))).toContain(`"${table}","Arn"`);
    data.hasResource('AWS::Backup::BackupVault', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { EncryptionKeyArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^BackupKey'), 'Arn'] } },
    });
  });

  it('the account of the vault with the copies may read backups with the key, and no other account may', () => {
    const [key] = Object.values(
      backed.data.findResources('AWS::KMS::Key', {
        Properties: { Description: Match.stringLikeRegexp('Backups') },
      }),
    );

    const others = JSON.stringify(key?.Properties.KeyPolicy).match(/iam::\d{12}:root/g);
    expect(new Set(others)).toEqual(new Set(['iam::210987654321:root']));
  });

  it('without the setting, nothing of AWS Backup is there', () => {
    expect(retained.files.join()).not.toMatch(/AWS::Backup|backup\./);
  });
});
