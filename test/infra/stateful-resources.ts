import * as z from 'zod';
import { stackParts } from '#shared/contract/deployment.ts';
import type { Release } from './releases.ts';
import { resourcesIn } from './short-names.ts';
import type { SynthesizedStage } from './synthesized-stage.ts';

/**
 * Resources whose loss an operator or a customer would notice, by stack and logical id: the type, and the properties
 * whose change replaces the resource or loses what it holds.
 */
type StatefulResources = Release['resources'];

/** Completes "CloudFormation would delete it, and …"; then the properties whose change replaces the resource. */
type Loss = readonly [lost: string, ...fixed: string[]];

/** Resources that hold state, or an address or a permission that others hold, by type. */
export const losses: Readonly<Record<string, Loss>> = {
  'AWS::DynamoDB::GlobalTable': ['every customer, endpoint, delivery and result is gone: data loss'],
  'AWS::KMS::Key': [
    'no stored signing secret can be decrypted: deliveries stop, and every endpoint must be registered again',
    ...['KeySpec', 'KeyUsage', 'MultiRegion'],
  ],
  'AWS::SQS::Queue': ['its messages are gone, and those who send to its URL get errors', ...['QueueName', 'FifoQueue']],
  'AWS::Scheduler::ScheduleGroup': [
    'the timers of all waiting retries are gone, and the sweep sends them late',
    'Name',
  ],
  'AWS::Logs::LogGroup': [
    'its log begins empty, and saved queries look at the wrong group',
    ...['LogGroupName', 'LogGroupClass'],
  ],
  'AWS::ApiGateway::RestApi': ['the API has another address, which every customer without your own domain must learn'],
  'AWS::ApiGateway::DomainName': [
    'the domain has another DNS target, and customers get no answer until DNS points to it',
    'DomainName',
  ],
  'AWS::ApiGateway::BasePathMapping': ['the domain answers 403 while it is replaced', 'BasePath'],
  'AWS::Route53::RecordSet': ['the domain has no DNS record while it is replaced', ...['Name', 'Type', 'HostedZoneId']],
  'AWS::SNS::Topic': ['alarms reach nobody until each subscriber confirms again', ...['TopicName', 'FifoTopic']],
  'AWS::SNS::Subscription': ['alarms reach nobody until the subscriber confirms again', 'Protocol'],
  'AWS::EC2::EIP': ['deliveries come from another address, which receivers with a list of addresses refuse', 'Domain'],
  'AWS::Backup::BackupVault': [
    'no new backup is made, and those of the old vault must be found and deleted by hand',
    ...['BackupVaultName', 'EncryptionKeyArn'],
  ],
  'AWS::Events::EventBus': ['its producers get errors, because their events name a bus that does not exist', 'Name'],
};

/** The role that timers hold: they are made long before they use it. */
const schedulerRole: Loss = ['the timers of all waiting retries fail, and the sweep sends them late'];

/** Resources whose replacement nobody notices. */
export const statelessTypes: readonly string[] = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::Stage',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::NatGateway',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPC',
  'AWS::EC2::VPCEndpoint',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::Events::EventBusPolicy',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Pipes::Pipe',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
];

/** Types of all resources of a stage. */
export function typesIn({ files }: Pick<SynthesizedStage, 'files'>): readonly string[] {
  return [...new Set(files.flatMap(resourcesIn).map(({ type }) => type))].toSorted();
}

/** The stateful resources of a stage by stack and logical id. */
export function statefulResources({ files }: Pick<SynthesizedStage, 'files'>): StatefulResources {
  const stacks = files.map((text, index) => {
    const kept = resourcesIn(text).flatMap(({ id, type, properties }) => {
      const loss = lossOf(id, type);
      return loss === undefined ? [] : [[id, { type, ...factsOf(type, loss, properties) }] as const];
    });
    return [[...stackParts, 'network'][index] ?? '', Object.fromEntries(kept)] as const;
  });
  return Object.fromEntries(stacks);
}

/** What goes wrong when a resource is replaced; undefined if nothing does. */
function lossOf(id: string, type: string): Loss | undefined {
  return type === 'AWS::IAM::Role' && id.startsWith('SchedulerRole') ? schedulerRole : losses[type];
}

/** Each fault is a sentence for the person who made the change. */
export function faultsBetween(
  { version, resources }: Pick<Release, 'version' | 'resources'>,
  today: StatefulResources,
): readonly string[] {
  const all = Object.entries(resources).flatMap(([stack, byId]) =>
    Object.entries(byId).map(([id, facts]) => ({ stack, id, facts })),
  );
  return all.flatMap(({ stack, id, facts }) => {
    const { type = '' } = facts;
    const [lost, ...fixed] = lossOf(id, type) ?? ['its state is gone'];
    const name = `${id} (${type}) of stack ${stack}`;
    const now = today[stack]?.[id];
    if (now === undefined)
      return `${name} in ${version} has another logical id or is gone. CloudFormation would delete it, and ${lost}. ${howToRecord}`;
    const changed = [...new Set([...Object.keys(facts), ...fixed])].filter((key) => now[key] !== facts[key]);
    return changed.map(
      (key) =>
        `${name} has another ${key} than in ${version}: ${now[key] ?? 'none'} instead of ${facts[key] ?? 'none'}. ` +
        `CloudFormation would replace it or refuse the update, and ${lost}. ${howToRecord}`,
    );
  });
}

const howToRecord =
  'If that is intended, name it in test/infra/releases/deliberate-changes.json, with what operators must do, and in CHANGELOG.md';

type Properties = Readonly<Record<string, unknown>>;

function factsOf(type: string, [, ...fixed]: Loss, properties: Properties): Readonly<Record<string, string>> {
  if (type === 'AWS::DynamoDB::GlobalTable') return factsOfTable(properties);
  const set = fixed.filter((name) => properties[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, JSON.stringify(properties[name])]));
}

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));
const tableSchema = z.looseObject({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.string(),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .default([]),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }),
});

/** Capacity is left out, because settings choose it. */
function factsOfTable(properties: Properties): Readonly<Record<string, string>> {
  const table = tableSchema.parse(properties);
  const typeOf = (name: string) =>
    table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  const keysOf = (keys: z.infer<typeof keySchema>) =>
    keys.map(({ AttributeName, KeyType }) => `${AttributeName} ${typeOf(AttributeName)} ${KeyType}`).join(', ');
  const indexes = table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => {
    const { ProjectionType, NonKeyAttributes = [] } = Projection;
    return [`index ${IndexName}`, [keysOf(KeySchema), ProjectionType, ...NonKeyAttributes].join(', ')];
  });
  const given = ['TableName', 'SSESpecification', 'StreamSpecification'].filter((name) => name in properties);
  return {
    key: keysOf(table.KeySchema),
    ...Object.fromEntries(indexes),
    'time to live': JSON.stringify(table.TimeToLiveSpecification),
    ...Object.fromEntries(given.map((name) => [name, JSON.stringify(properties[name])])),
  };
}
