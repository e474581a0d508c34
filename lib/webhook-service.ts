import { join } from 'node:path';
import { CfnOutput, Lazy, Stack, Stage, Tags } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ISubnet } from 'aws-cdk-lib/aws-ec2';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type StackPart, stackPrefixOf, stageOutput } from '#shared/contract/deployment.ts';
import cdkJson from '../cdk.json' with { type: 'json' };
import { grantOperating } from './functions/operator-grants.ts';
import { settingsOfPages } from './settings/brand.ts';
import { type Config, ConfigError, configOf, faultsOfName, parseSettings, settingNames } from './settings/config.ts';
import type { StageSettings, WebhookServiceProps } from './settings/service-props.ts';
import { type StageProps, stackNameOf } from './settings/stage-props.ts';
import { ApiStack } from './stacks/api-stack.ts';
import { DataStack } from './stacks/data-stack.ts';
import { DeliveryStack } from './stacks/delivery-stack.ts';
import { NetworkStack } from './stacks/network-stack.ts';
import { SmokeStack } from './stacks/smoke-stack.ts';
import { VpcStack } from './stacks/vpc-stack.ts';

/** What the package has beside this module. */
const shippedBundles = join(import.meta.dirname, 'functions');

/**
 * A stage of the webhook service, as stacks of its own: data, API and delivery, and others that settings ask for.
 *
 * ```ts
 * const webhooks = new WebhookService(this, 'Webhooks', { stage: 'prod', alarmEmail: 'ops@example.com' });
 * webhooks.grantSend(engine);
 * ```
 */
export class WebhookService extends Construct {
  /** Public address of the API, without a trailing slash. */
  readonly apiUrl: string;
  /** Where messages about Runs go: {@link grantSend} lets a program send them. */
  readonly intakeQueue: Queue;
  /** Another way into the intake; `undefined` unless `eventBus` is true. */
  readonly eventBus: EventBus | undefined;
  /** Customers, endpoints, deliveries and results. */
  readonly table: TableV2;
  /** Gets every alarm; `undefined` without `alarmEmail`. */
  readonly alarmTopic: ITopic | undefined;
  /** Gets notices about failing endpoints; `undefined` unless `notices` names or creates a topic. */
  readonly noticesTopic: ITopic | undefined;
  /** The stacks, in the order of their deployment. */
  readonly stacks: readonly Stack[];
  private readonly data: DataStack;
  private readonly api: ApiStack;

  /** @throws Error that names every wrong prop, its value, and the expected value */
  constructor(scope: Construct, id: string, props: WebhookServiceProps = {}) {
    super(scope, id);
    this.setFlags();
    // The app of this repository has checked the names where it read them, and passes the settings of pages too.
    if (props.stackScope === undefined) refuseUnknown(props);
    const { env, stackScope = this, bundles = shippedBundles, pages = bundles } = props;
    const config = configOf(parseSettings(readerOf(props)));
    const ofStage = { config, bundles, branded: pages, env: env ?? environmentAround(scope) };
    const name = (part: StackPart) => stackNameOf(config, part);
    const data = new DataStack(stackScope, name('data'), ofStage);
    const network = addNetwork(stackScope, ofStage);
    const shared = { ...ofStage, data, network };
    const api = new ApiStack(stackScope, name('api'), shared);
    const delivery = new DeliveryStack(stackScope, name('delivery'), { ...shared, api });
    const smoke = config.smokeReceiver ? [new SmokeStack(stackScope, name('smoke'), ofStage)] : [];
    this.stacks = [data, ...(network === undefined ? [] : [network]), api, delivery, ...smoke];
    this.data = data;
    this.api = api;
    this.refuseTwin(config);
    this.mark(config);
    // Version 0.3.0 reads the id of a VPC weakly. Without a weak reference, its stack would lose the output for that with
    // the first update, and neither an update nor a rollback could read it again.
    if (config.vpc !== undefined) new CfnOutput(delivery, 'VpcId', { value: config.vpc.id });
    this.apiUrl = api.baseUrl;
    this.intakeQueue = data.intake.queue;
    this.eventBus = data.bus?.bus;
    this.table = data.table;
    this.alarmTopic = delivery.alarmTopic;
    this.noticesTopic = delivery.noticesTopic;
  }

  /** Lets a program send messages to the intake queue. */
  grantSend(grantee: IGrantable): Grant {
    return this.intakeQueue.grant(grantee, 'sqs:SendMessage');
  }

  /** Lets a program or a person do what the operator's commands do: read and change everything in table and queues. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperating(grantee, this.data, this.api.operatorFunctions);
  }

  /** The flags that the templates of every stage are made with, whatever the flags of the app around it are. */
  private setFlags(): void {
    for (const [flag, value] of Object.entries(cdkJson.context))
      if (flag.startsWith('@')) this.node.setContext(flag, value);
  }

  /** The CDK would deploy one over the other. @throws ConfigError */
  private refuseTwin({ stage }: Config): void {
    const { stackName, account, region } = this.data;
    const around = Stage.of(this);
    const twin = around?.node
      .findAll()
      .filter((each) => each instanceof WebhookService)
      .filter((each) => each !== this && Stage.of(each) === around)
      .find(({ data: each }) => each.stackName === stackName && each.account === account && each.region === region);
    if (twin === undefined) return;
    const place = `stage is "${stage}", and so is that of ${twin.node.path} in the same account and Region`;
    throw new ConfigError(`${place}: give each service a stage or a stackPrefix of its own`);
  }

  /** Names the stage: in tags, and in an output where the names of the stacks do not. */
  private mark({ stage, stackPrefix }: Config): void {
    for (const stack of this.stacks) {
      Tags.of(stack).add('service', 'webhooks');
      Tags.of(stack).add('stage', stage);
      if (stackPrefix !== stackPrefixOf(stage)) new CfnOutput(stack, stageOutput, { value: stage });
    }
  }
}

/** The compiler finds one that is missing. */
const ownProps = Object.keys({
  ...{ env: true, vpc: true, subnets: true, bundles: true, pages: true, stackScope: true },
} satisfies Record<Exclude<keyof WebhookServiceProps, keyof StageSettings>, true>);
const ofPages: readonly string[] = settingsOfPages;
const propNames = [...settingNames.filter((name) => !ofPages.includes(name)), ...ownProps];

/** Without it, a mistyped `stage` in an app in JavaScript would deploy an unprotected stage. @throws ConfigError */
function refuseUnknown(props: WebhookServiceProps): void {
  const faults = Object.keys(props).flatMap((name) =>
    ofPages.includes(name)
      ? [`${name} is not a prop: npm run build:construct builds the pages with the settings of a stage`]
      : faultsOfName(name, { known: propNames, kind: 'prop' }),
  );
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
}

/** Only with a setting: a NAT gateway costs more than the rest of an idle stage. */
function addNetwork(scope: Construct, ofStage: StageProps): NetworkStack | VpcStack | undefined {
  const { config } = ofStage;
  const { vpc, fixedAddresses } = config;
  if (vpc !== undefined) return new VpcStack(scope, stackNameOf(config, 'vpc'), { ...ofStage, vpc });
  if (fixedAddresses === 0) return undefined;
  return new NetworkStack(scope, stackNameOf(config, 'network'), ofStage);
}

/** Reads settings from props. A network that is given as an object counts by its ids. */
function readerOf({ vpc, subnets, ...props }: WebhookServiceProps): (key: string) => unknown {
  const idsOf = (given?: readonly Pick<ISubnet, 'subnetId'>[]) => given?.map(({ subnetId }) => subnetId);
  const network = {
    vpcId: vpc?.vpcId ?? props.vpcId,
    subnetIds: idsOf(subnets) ?? props.subnetIds ?? idsOf(vpc?.privateSubnets),
  };
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries({ ...props, ...network }));
  return (key) => withoutPlaceholders(values.get(key));
}

/** What the CDK has in place of a network, a zone or a parameter until its CLI has looked it up. */
const placeholder = /^(vpc-12345|[ps]-(12345|67890)|DUMMY|dummy-value-for-.*)$/;

/**
 * Has what other constructs make in place of placeholders, so that no check refuses one: the CLI looks up nothing for an
 * app that fails, and runs it again with the values.
 */
function withoutPlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaceholders);
  return typeof value === 'string' && placeholder.test(value) ? Lazy.string({ produce: () => value }) : value;
}

/** Of the stack that the construct is in. A stage in between, as a pipeline has, gives its own to the stacks in it. */
function environmentAround(scope: Construct) {
  const around = scope.node.scopes.findLast((each) => Stack.isStack(each) || Stage.isStage(each));
  return Stack.isStack(around) ? { account: around.account, region: around.region } : undefined;
}
