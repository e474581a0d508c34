import type { Environment, RemovalPolicy } from 'aws-cdk-lib';
import type { ISubnet, IVpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';

/** Settings of a stage. `docs/operating/deploy.md` of the service has a row for each. */
export type StageSettings = {
  /** Name of the deployment; an account can hold several. Default: `dev`. */
  readonly stage?: string | undefined;
  /**
   * What the names of the stacks begin with. It cannot change once the stage is deployed.
   * Default: `webhooks-<stage>`.
   */
  readonly stackPrefix?: string | undefined;
  /** The word between `X-` and `-Signature` in the headers of a delivery. Default: `Service`. */
  readonly serviceName?: string | undefined;
  /** Whether deliveries also carry the headers of Standard Webhooks. Default: true. */
  readonly standardWebhooks?: boolean | undefined;
  /** Public address of the API. Default: `https://<domainName>`, or API Gateway's own address without a domain. */
  readonly baseUrl?: string | undefined;
  /** Base address of the problem type documentation. Default: `<baseUrl>/docs`. */
  readonly docsUrl?: string | undefined;
  /**
   * Whether the stage is protected: data survives deletion of the stacks, stacks and table cannot be deleted by
   * accident, and the table can be restored to any second of the last 35 days.
   * Default: false for stages called dev, test, demo, local, sandbox, preview, pr or ci, also with a suffix.
   */
  readonly retainData?: boolean | undefined;
  /**
   * What happens to everything that holds data when its stack is deleted: table, keys, logs, dead-letter queues and
   * backups. Default: kept if `retainData`, otherwise deleted.
   */
  readonly removalPolicy?: `${RemovalPolicy.RETAIN | RemovalPolicy.DESTROY}` | undefined;
  /** Platforms whose creators can be queried. Default: tiktok, instagram and youtube. */
  readonly supportedPlatforms?: readonly string[] | undefined;
  /** E-mail address, or ARN of a topic, that receives every alarm. Default: alarms show in CloudWatch only. */
  readonly alarmEmail?: string | undefined;
  /** Whether the stage has a dashboard in CloudWatch. Default: true. */
  readonly dashboard?: boolean | undefined;
  /** Days that logs are kept. Default: 30. */
  readonly logRetentionDays?: number | undefined;
  /** Host name of the API. Needs `certificateArn`. */
  readonly domainName?: string | undefined;
  /** Certificate of the host name, in the same Region. */
  readonly certificateArn?: string | undefined;
  /** The Route 53 zone that receives the address records of the host name. */
  readonly hostedZoneId?: string | undefined;
  /** Whether API Gateway's own address stays reachable beside the host name. Default: false. */
  readonly keepGatewayAddress?: boolean | undefined;
  /** https origins whose pages may show the console in a frame. Default: none. */
  readonly consoleFrameAncestors?: readonly string[] | undefined;
  /** Concurrent Lambda executions that the stage may use. Default: the quota of an account that is not new, 1,000. */
  readonly concurrentExecutions?: number | undefined;
  /** Delivery functions that run at once, with ten deliveries each. Default: from `concurrentExecutions`. */
  readonly deliveryConcurrency?: number | undefined;
  /** The same for slow endpoints, with 20 deliveries each. Default: from `concurrentExecutions`. */
  readonly slowDeliveryConcurrency?: number | undefined;
  /**
   * Pollers that Lambda keeps ready for the intake queue and for the delivery queue. Each reads for ten functions at
   * once. Default: pollers of Lambda's own, which begin with five functions and add 300 in a minute.
   */
  readonly queuePollers?: number | undefined;
  /** Megabytes of a delivery function, which has a vCPU for 1,769 of them. Default: 256. */
  readonly deliveryMemory?: number | undefined;
  /** Price against delay: the defaults of `batchWindow` and `tableCapacity`, and the memory of the API. Default: fast. */
  readonly profile?: 'economy' | 'balanced' | 'fast' | undefined;
  /** Seconds for which the intake and the delivery queue collect messages. Default: 0, or from `profile`. */
  readonly batchWindow?: number | undefined;
  /** How the table's reads and writes are paid. Default: on-demand, or from `profile`. */
  readonly tableCapacity?: 'on-demand' | 'provisioned' | undefined;
  /** Bounds of provisioned capacity, in units a second. Defaults: 25 and 4,000. */
  readonly tableReadMin?: number | undefined;
  readonly tableReadMax?: number | undefined;
  readonly tableWriteMin?: number | undefined;
  readonly tableWriteMax?: number | undefined;
  /** Percent of the provisioned units that auto scaling wants consumed. Default: 70. */
  readonly tableUtilization?: number | undefined;
  /** Units a second that the table takes at once, also when it is new or was idle. They cannot be lowered again. */
  readonly warmReads?: number | undefined;
  readonly warmWrites?: number | undefined;
  /** Account ids, or ARNs of roles, of other programs that may send to the intake. Default: none. */
  readonly producers?: readonly string[] | undefined;
  /** Whether the stage has an EventBridge bus that leads to the intake. Default: false. */
  readonly eventBus?: boolean | undefined;
  /** Where notices about failing endpoints go: `topic`, `bus`, or an ARN. Default: nowhere. */
  readonly notices?: string | undefined;
  /** Deliveries in a row that fail before a notice is sent. Default: 3. */
  readonly noticeAfter?: number | undefined;
  /** Addresses that deliveries come from, each with a NAT gateway. Default: 0, they change, and there is no network. */
  readonly fixedAddresses?: number | undefined;
  /** An existing network, by its id, for the functions that POST to endpoints. Needs `subnetIds`. */
  readonly vpcId?: string | undefined;
  /** Its private subnets, with a way to the internet. */
  readonly subnetIds?: readonly string[] | undefined;
  /** The public addresses of its ways out, which `GET /v1/addresses` shows to customers. Default: none. */
  readonly vpcAddresses?: readonly string[] | undefined;
  /** Name or ARN of the policy that bounds every role. Default: none. */
  readonly permissionsBoundary?: string | undefined;
  /** Whether X-Ray traces the requests and the functions. Default: none. */
  readonly tracing?: 'none' | 'active' | undefined;
  /** Days for which AWS Backup keeps a daily copy of the table. Default: no backup plan. */
  readonly backupDays?: number | undefined;
  /** ARN of a backup vault, in another account or Region, that gets a copy of each backup. Needs `backupDays`. */
  readonly backupCopyTo?: string | undefined;
  /** Whether the app has the stack of the receiver for smoke tests. Default: false. */
  readonly smokeReceiver?: boolean | undefined;
  /** Days for which finished deliveries and stored results are kept. Default: they are kept. */
  readonly retentionDays?: number | undefined;
  /** Whether to create the role of this account and Region with which API Gateway writes its logs. Default: create. */
  readonly apiGatewayLogRole?: 'create' | 'existing' | undefined;
  /** The exact `iss` claim of an access token. Default: API keys only. */
  readonly tokenIssuer?: string | undefined;
  /** The value that the `aud` claim of a token must contain. */
  readonly tokenAudience?: string | undefined;
  /** Where the issuer publishes its keys. Default: `<tokenIssuer>/.well-known/jwks.json`. */
  readonly tokenJwksUrl?: string | undefined;
};

/** What a construct can be given beside the settings. */
export type WebhookServiceProps = StageSettings & {
  /** Account and Region of the stacks. Default: those of the stack or stage around the construct. */
  readonly env?: Environment | undefined;
  /** An existing network, in place of `vpcId` and `subnetIds`. */
  readonly vpc?: Pick<IVpc, 'vpcId' | 'privateSubnets'> | undefined;
  /** Its subnets. Default: its private subnets with a way to the internet. */
  readonly subnets?: readonly Pick<ISubnet, 'subnetId'>[] | undefined;
  /** Folder with the bundle of each function. Default: that of this package. */
  readonly bundles?: string | undefined;
  /** Folder with the bundle of the pages, if they have a brand of their own. Default: `bundles`. */
  readonly pages?: string | undefined;
  /**
   * Where the stacks are made. Default: in the construct, so that its flags, tags and aspects reach them.
   *
   * @internal
   */
  readonly stackScope?: Construct | undefined;
};
