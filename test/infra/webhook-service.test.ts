import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { App, Stack, Stage, Tags } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { CfnPolicy, type Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { operatorOperations } from '#shared/contract/functions.ts';
import type { settingsOfPages } from '../../lib/settings/brand.ts';
import { parseSettings } from '../../lib/settings/config.ts';
import type { StageSettings, WebhookServiceProps } from '../../lib/settings/service-props.ts';
import type { settings } from '../../lib/settings/settings.ts';
import { WebhookService } from '../../lib/webhook-service.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { acknowledgedIn, findingsOf, openFindings } from './nag.ts';
import { faultsBetween, statefulResources } from './stateful-resources.ts';
import { everyOption, synthesizeStage, writePlaceholders } from './synthesized-stage.ts';

const folder = useFolder();
let bundles: string;
beforeAll(async () => {
  bundles = await writePlaceholders(folder());
});

/** The stack of another app, without the flags of this one. */
function open(env?: { readonly account: string; readonly region: string }): Stack {
  const outdir = mkdtempSync(join(folder(), 'out-'));
  return new Stack(new App({ outdir }), 'Platform', env === undefined ? {} : { env });
}

const addTo = (scope: Stack | Stage, props: WebhookServiceProps = {}) =>
  new WebhookService(scope, 'Webhooks', { bundles, ...props });

const env = { account: '123456789012', region: 'eu-central-1' };
const given: ReadonlyMap<string, unknown> = new Map(Object.entries(everyOption));
/** Every option, as a program writes it. */
const everyProp = Object.fromEntries(
  Object.entries(parseSettings((key) => given.get(key))).filter(([name]) => given.has(name)),
);

let plain: WebhookService;
let full: WebhookService;
/** With a topic and a network of the stack around it. */
let service: WebhookService;
beforeAll(() => {
  plain = addTo(open());
  full = addTo(open(), everyProp);
  const scope = open(env);
  const vpc = new Vpc(scope, 'Vpc', { maxAzs: 2 });
  service = addTo(scope, { alarmEmail: new Topic(scope, 'Ops').topicArn, vpc, backupDays: 7 });
  Tags.of(service).add('team', 'payments');
});

describe('a service in the stack of another app', () => {
  it.each([
    ['the defaults', () => plain, {}],
    ['every option', () => full, everyOption],
  ])('has the templates of this app with %s, so a stage that is deployed can move there', async (_, moved, context) => {
    const own = await synthesizeStage(context);

    const files = moved().stacks.map((each) => JSON.stringify(Template.fromStack(each).toJSON()));

    expect(files.map(wherever)).toEqual(expect.arrayContaining(own.files.map(wherever)));
    expect(files).toHaveLength(own.files.length);
    const before = { version: 'this app', resources: statefulResources(own) };
    const inOrder = own.files.map(
      (file) => files.find((each) => isDeepStrictEqual(wherever(each), wherever(file))) ?? '{}',
    );
    expect(faultsBetween(before, statefulResources({ files: inOrder }))).toEqual([]);
  });

  it('its stacks are in the account and the Region of the stack around them, with tags of their own and of the construct', () => {
    expect(service.stacks.map(({ account, region }) => ({ account, region }))).toEqual([env, env, env, env]);
    const [data] = service.stacks;
    const template = JSON.stringify(data && Template.fromStack(data).toJSON());
    for (const [Key, Value] of Object.entries({ team: 'payments', service: 'webhooks', stage: 'dev' }))
      expect(template).toContain(JSON.stringify({ Key, Value }));
  });

  it('in a stage of a pipeline, its stacks are in the account and the Region of the stage', () => {
    const pipeline = open({ account: '210987654321', region: 'us-east-1' });

    const { stacks } = addTo(new Stage(pipeline, 'Prod', { env }));

    expect(stacks.map(({ account, region }) => ({ account, region }))).toEqual([env, env, env]);
  });

  it('every finding of cdk-nag is acknowledged also where the account and the Region are known', () => {
    expect(openFindings(findingsOf(service), acknowledgedIn(service))).toEqual([]);
  });

  it('names every wrong prop as the settings of a stage do', () => {
    expect(() => addTo(open(), { stage: 'X', logRetentionDays: 8 })).toThrow(
      /^Cannot use the deployment settings: stage is "X", expected a lower-case.*; logRetentionDays is 8, expected one of/,
    );
  });

  it.each<[object, string]>([
    [{ stag: 'prod' }, 'stag is not a prop; did you mean stage?'],
    [{ alarmMail: 'ops@example.com' }, 'alarmMail is not a prop; did you mean alarmEmail?'],
    [{ subnet: [], Env: {} }, 'subnet is not a prop; did you mean subnets?; Env is not a prop; did you mean env?'],
    [{ brandName: 'Acme' }, 'brandName is not a prop: npm run build:construct builds the pages with the settings'],
    [{ docsEditUrl: 'https://example.com' }, 'docsEditUrl is not a prop: npm run build:construct builds the pages'],
  ])('refuses a prop that no compiler saw: %j', (props, fault) => {
    expect(() => addTo(open(), props)).toThrow(`Cannot use the deployment settings: ${fault}`);
  });

  it('refuses a second service that would be deployed over the first one, and no other', () => {
    const scope = open(env);
    const add = (id: string, props: WebhookServiceProps, at: Stack | Stage = scope) =>
      new WebhookService(at, id, { bundles, ...props });

    add('Earlier', { stage: 'prod' }, new Stage(scope, 'Earlier', { env }));
    add('Beta', { stage: 'beta' });
    add('Prod', { stage: 'prod' });
    add('Other', { stage: 'prod', stackPrefix: 'other' });
    add('Abroad', { stage: 'prod', env: { ...env, region: 'us-east-1' } });
    add('Later', { stage: 'prod' }, new Stage(scope, 'Later', { env }));

    expect(() => add('Twin', { stage: 'prod' })).toThrow(
      'Cannot use the deployment settings: stage is "prod", and so is that of Platform/Prod in the same account and Region',
    );
  });

  it('names a construct that is given in place of its ARN', () => {
    const scope = open();
    const props: object = { alarmEmail: new Topic(scope, 'Ops'), producers: [new Vpc(scope, 'Vpc')] };

    expect(() => addTo(scope, props)).toThrow(
      /alarmEmail is "the construct Platform\/Ops", expected .* producers is \["the construct Platform\/Vpc"\], expected/,
    );
  });

  it('takes what other constructs make: a topic for the alarms and a network', () => {
    const [, network, , delivery] = service.stacks.map((each) => Template.fromStack(each));
    network?.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    // Another network replaces the group, which CloudFormation may plan for a reference that it reads weakly.
    network?.hasResourceProperties('AWS::EC2::SecurityGroup', {
      VpcId: { 'Fn::ImportValue': Match.stringLikeRegexp('^Platform:') },
    });
    expect(subnetsIn(delivery)).toHaveLength(2);
  });

  it('leaves the stack of a network the output that the service of 0.3.0 reads, to update it and to roll it back', () => {
    const around = Template.fromStack(Stack.of(service));

    const ofVpc = Object.entries(around.findOutputs('*', { Value: { Ref: 'Vpc8378EB38' } }));
    expect(ofVpc.map(([name, { Export }]) => [name, Export !== undefined])).toEqual([
      ['ExportsOutputRefVpc8378EB38272D6E3A', true],
      ['PublishOutputRefVpc8378EB385002A76F', false],
    ]);
  });

  it.each<readonly [WebhookServiceProps, string]>([
    [{ vpc: { vpcId: 'vpc-0a1b2c3d', privateSubnets: [] }, subnetIds: ['none'] }, 'subnetIds is ["none"]'],
    [{ vpcId: 'vpc-0a1b2c3d', subnets: [{ subnetId: 'none' }] }, 'subnetIds is ["none"]'],
  ])('reads a network from constructs and ids: %j', (props, fault) => {
    expect(() => addTo(open(), props)).toThrow(`Cannot use the deployment settings: ${fault}`);
  });

  it('refuses subnets without their network', () => {
    const subnets = [{ subnetId: 'subnet-0a1b2c3d' }];

    expect(() => addTo(open(), { subnets })).toThrow('vpcId and subnetIds must be set together');
  });

  function subnetsIn(delivery: Template | undefined): unknown {
    const description = { Properties: { Description: 'dev: queue/deliver' } };
    const [deliver] = Object.values(delivery?.findResources('AWS::Lambda::Function', description) ?? {});
    return deliver?.Properties.VpcConfig.SubnetIds;
  }
});

describe('what the CDK CLI looks up', () => {
  const network = (scope: Stack) => Vpc.fromLookup(scope, 'Vpc', { vpcId: 'vpc-0123456789abcdef0' });
  const zone = (scope: Stack) => HostedZone.fromLookup(scope, 'Zone', { domainName: 'example.com' });
  const parameter = (scope: Stack) => StringParameter.valueFromLookup(scope, '/platform/value');

  it('the service takes the placeholders, without which the CLI looks up nothing', () => {
    const scope = open(env);
    const vpc = network(scope);
    const subnets = [...vpc.privateSubnets, ...vpc.publicSubnets];

    const { stacks } = addTo(scope, {
      ...{ vpc, subnets, domainName: everyOption.domainName, hostedZoneId: zone(scope).hostedZoneId },
      ...{ certificateArn: parameter(scope), alarmEmail: parameter(scope), permissionsBoundary: parameter(scope) },
    });

    for (const each of stacks) expect(Template.fromStack(each).toJSON()).toHaveProperty('Resources');
  });
});

describe('what a service exposes', () => {
  it('topics and the bus only if props ask for them', () => {
    expect([plain.eventBus, plain.alarmTopic, plain.noticesTopic]).toEqual([undefined, undefined, undefined]);
    expect([full.eventBus, full.alarmTopic, full.noticesTopic]).not.toContain(undefined);
  });

  it('grantSend() allows to send to the intake and nothing else', () => {
    expect(allowedBy((role) => service.grantSend(role))).toEqual({ 'sqs:SendMessage': ['IntakeQueue'] });
  });

  it('grantOperate() allows what the commands do, on the resources of the stage, and nothing else', () => {
    const items = ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];
    const onTable = ['DescribeTable', 'ConditionCheckItem', 'Scan', ...items];
    const letters = ['IntakeDeadLetters', 'DeliveryDeadLetters', 'ReplayDeadLetters'];
    const queues = ['IntakeQueue', 'DeliveryQueue', 'SlowDeliveryQueue', 'ReplayQueue'];
    const [sending, receiving] = [
      ['SendMessage', 'GetQueueAttributes'],
      ['ReceiveMessage', 'DeleteMessage'],
    ];
    const functions = operatorOperations.map((name) => `${name.replace(/^./, (first) => first.toUpperCase())}Function`);

    expect(allowedBy((role) => service.grantOperate(role))).toEqual({
      ...Object.fromEntries(onTable.map((action) => [`dynamodb:${action}`, ['Table']])),
      'dynamodb:Query': ['Table', 'Table/index/waiting', 'Table/index/listed'],
      ...Object.fromEntries(sending.map((action) => [`sqs:${action}`, [...queues, ...letters]])),
      ...Object.fromEntries([...receiving, 'ChangeMessageVisibility'].map((action) => [`sqs:${action}`, letters])),
      'lambda:InvokeFunction': functions,
      'cloudformation:DescribeStacks': ['*'],
    });
  });

  it('the address of the API, for another stack', () => {
    expect(full.apiUrl).toBe(`https://${everyOption.domainName}`);
  });
});

it('props are the settings of a stage, but for those of pages, which are built before', () => {
  type Given = z.input<typeof settings>;
  type OfPages = (typeof settingsOfPages)[number];
  type Formerly = 'throwAway';

  type Setting = Exclude<keyof Given, OfPages | Formerly>;

  // The error of a constraint names what is missing.
  type Within<Part extends Whole, Whole> = Part;
  expectTypeOf<Within<Setting, keyof StageSettings>>().toEqualTypeOf<Within<keyof StageSettings, Setting>>();
});

/** What a new role in the stack around the service may do with which resources, by their logical ids. */
function allowedBy(grant: (role: Role) => Grant): Readonly<Record<string, readonly string[]>> {
  const scope = Stack.of(service);
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  grant(new Role(scope, `Role${scope.node.children.length}`, { assumedBy })).assertSuccess();
  const policy = scope.node.findAll().findLast((each) => each instanceof CfnPolicy);
  const { Statement } = statementsSchema.parse(scope.resolve(policy?.policyDocument));
  const pairs = Statement.flatMap(({ Action, Resource }) =>
    [Action].flat().map((action) => [action, [Resource].flat().map(nameOf)] as const),
  );
  const byAction = Map.groupBy(pairs, ([action]) => action);
  return Object.fromEntries([...byAction].map(([action, each]) => [action, each.flatMap(([, names]) => names)]));
}

/** `IntakeQueue` of a reference to `IntakeQueue6FB53B87`, with what an ARN has behind it; text as it is. */
function nameOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const text = JSON.stringify(resource);
  const [[, id] = [], [, path = ''] = []] = [/"([A-Za-z]+)[0-9A-F]{8}"/, /"(\/[^"]+)"/].map(
    (form) => form.exec(text) ?? [],
  );
  return `${id}${path}`;
}

const statementsSchema = z.object({
  Statement: z.array(z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() })),
});

/**
 * Without what the CDK names after the place of a construct in an app: metadata, permissions to invoke or send, and the
 * tag `Name` of a network.
 */
function wherever(template: string): unknown {
  const text = JSON.stringify(JSON.parse(template), (key, value) => (key === 'Metadata' ? undefined : value));
  const placed = text
    .replaceAll('Platform/Webhooks/', '')
    .replaceAll(/"Sid":"AllowEventRule\w+"/g, '"Sid":"AllowEventRule"');
  const { Resources, ...others } = templateSchema.parse(JSON.parse(placed));
  const [permissions, resources] = [true, false].map((is) =>
    Object.entries(Resources).filter(([, { Type }]) => (Type === 'AWS::Lambda::Permission') === is),
  );
  return {
    ...others,
    permissions: permissions?.map(([, resource]) => JSON.stringify(resource)).toSorted(),
    resources: Object.fromEntries(resources ?? []),
  };
}

const templateSchema = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string() })),
});
