import { join } from 'node:path';
import { Duration, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { BundledFolder } from '#shared/contract/functions.ts';
import { sizeOf } from '../functions/functions.ts';
import type { Config } from '../settings/config.ts';
import { removalPolicyOf } from '../settings/stage-props.ts';
import { readableCode } from './readable-code.ts';

/** Where a function runs that is not in Lambda's own network. */
export type FunctionNetwork = {
  readonly vpc: IVpc;
  readonly vpcSubnets: SubnetSelection;
  readonly securityGroups: ISecurityGroup[];
};

export type ServiceFunctionProps = {
  /** Folder of the handler below `functions/`, and of its bundle below `bundles`. */
  readonly folder: BundledFolder;
  readonly bundles: string;
  readonly config: Config;
  readonly environment: Readonly<Record<string, string>>;
  /** Permissions beyond writing its own log. */
  readonly policy: readonly PolicyStatement[];
  /** Default: Lambda's own network, with changing addresses. */
  readonly network?: FunctionNetwork | undefined;
};

/** What Lambda itself does with the role of a function to connect it to a network. */
const interfaceActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Why a function needs no dead-letter queue of its own, keyed by the first segment of its folder. */
const withoutDeadLetters: Readonly<Record<string, string>> = {
  api: 'API Gateway waits for the response; Lambda has dead letters for asynchronous calls only',
  queue:
    'Lambda polls the queue: a failed message stays there until the queue moves it to its dead-letter queue, ' +
    'which has an alarm',
  operator: 'The caller waits for the response; a call that fails is repeated by its caller',
  schedule:
    'The call carries no work: each run reads its work from the table, so the next run covers for a failed one, ' +
    'and an alarm reports repeated failures',
  smoke: 'The function URL waits for the response; Lambda has dead letters for asynchronous calls only',
};

/**
 * A Lambda function that runs a prebuilt bundle, with its own log group and role. The role may write only to that log
 * group; AWS's managed policy would allow every log group in the account.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** Megabytes. */
  readonly memory: number;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, props: ServiceFunctionProps) {
    super(scope, constructName(props.folder));
    const { memory, timeout, systemLog, invokesItself } = sizeOf(props.folder, props.config);
    const isTraced = props.config.tracing === 'active';
    const logGroup = this.makeLogGroup(props.config);
    this.memory = memory;
    this.logGroup = logGroup;
    this.lambda = new LambdaFunction(this, 'Function', {
      description: `${props.config.stage}: ${props.folder}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: readableCode(join(props.bundles, props.folder)),
      handler: 'index.handler',
      memorySize: memory,
      timeout: Duration.seconds(timeout),
      environment: { ...props.environment },
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: systemLog === 'failures' ? SystemLogLevel.WARN : SystemLogLevel.INFO,
      ...(invokesItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      role: this.makeRole(logGroup, props),
      ...(isTraced && { tracing: Tracing.ACTIVE }),
      ...props.network,
    });
    this.acknowledgeFindings(props.folder, isTraced);
  }

  private acknowledgeFindings(folder: string, isTraced: boolean): void {
    const reason = withoutDeadLetters[folder.split('/')[0] ?? ''];
    if (reason !== undefined) Validations.of(this.lambda).acknowledge({ id: 'Serverless-LambdaDLQ', reason });
    if (isTraced) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'Traces have no resource: X-Ray takes them for the whole account and Region',
      });
      return;
    }
    Validations.of(this.lambda).acknowledge({
      id: 'Serverless-LambdaTracing',
      reason:
        'The access log times each request, and each attempt logs one line with its ids, outcome and milliseconds. ' +
        'Traces would cost money per call, and need xray:PutTraceSegments on every resource in each role',
    });
  }

  private makeLogGroup(config: Config): LogGroup {
    return new LogGroup(this, 'Log', {
      retention: config.logRetentionDays,
      removalPolicy: removalPolicyOf(config),
    });
  }

  private makeRole(logGroup: LogGroup, { policy, network }: ServiceFunctionProps): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const statement of policy) role.addToPolicy(statement);
    if (network !== undefined) this.allowInterfaces(role);
    return role;
  }

  /** Only Lambda itself may: a request of the function's code carries the ARN of the function. */
  private allowInterfaces(role: Role): void {
    role.addToPolicy(
      new PolicyStatement({
        actions: interfaceActions,
        resources: ['*'],
        conditions: { Null: { 'lambda:SourceFunctionArn': 'true' } },
      }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Lambda names the network interfaces that it makes, and describing them has no resource. The condition refuses ' +
        "every request of the function's code",
    });
  }
}

/** `api/register-webhook` → `RegisterWebhook`. */
function constructName(folder: string): string {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  return name.replace(/(^|-)([a-z])/g, (_match, _hyphen, letter: string) => letter.toUpperCase());
}
