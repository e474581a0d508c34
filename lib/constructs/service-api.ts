import { CfnOutput, Names, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  BasePathMapping,
  CfnAccount,
  CfnDomainName,
  DomainName,
  EndpointType,
  IpAddressType,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  ResponseType,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct, RootConstruct } from 'constructs';
import { publicMethods, publicPaths } from '#shared/contract/routes.ts';
import type { Config, Domain } from '../settings/config.ts';
import { removalPolicyOf } from '../settings/stage-props.ts';
import type { GatewayResponse } from './gateway-responses.ts';

/** Requests per second across all customers; the limit per credential is far lower. */
const throttling = { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 };

/**
 * Requests per second for each path and method of published files. API Gateway counts them apart from all other requests, so a
 * crawler cannot use up the rate of the API.
 */
const filesThrottling = { throttlingRateLimit: 50, throttlingBurstLimit: 200 };

function filesOptions(): Record<string, MethodDeploymentOptions> {
  const requests = publicPaths.flatMap((path) => publicMethods.map((method) => `${path}/${method}`));
  return Object.fromEntries(requests.map((request) => [request, filesThrottling]));
}

/** IPv4 and IPv6, at API Gateway's own address and at a custom domain. */
const dualStack = { types: [EndpointType.REGIONAL], ipAddressType: IpAddressType.DUAL_STACK };

/** Logs path templates but no headers or bodies, so that the log holds no credentials or secrets. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    source_ip: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    resource: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    gateway_error: AccessLogField.contextErrorResponseType(),
    latency_ms: AccessLogField.contextResponseLatency(),
    integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    integration_status: AccessLogField.contextIntegrationStatus(),
    response_bytes: AccessLogField.contextResponseLength(),
  }),
);

/**
 * The actions of AWS's managed policy for this role. API Gateway checks for them on every resource when the role is
 * set. It may refuse a narrower policy, and then the first deployment fails.
 */
const logActions = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:DescribeLogGroups',
  'logs:DescribeLogStreams',
  'logs:PutLogEvents',
  'logs:GetLogEvents',
  'logs:FilterLogEvents',
];

/** A Regional REST API: only REST APIs can set the bodies of API Gateway's own failures. */
export class ServiceApi extends RestApi {
  readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, config: Config) {
    const accessLog = new LogGroup(scope, `${id}AccessLog`, {
      retention: config.logRetentionDays,
      removalPolicy: removalPolicyOf(config),
    });
    const isTraced = config.tracing === 'active';
    super(scope, id, {
      restApiName: `webhooks-${config.stage}`,
      endpointConfiguration: dualStack,
      // Otherwise API Gateway replaces invalid UTF-8 in a body, and the function cannot refuse it.
      binaryMediaTypes: ['*/*'],
      disableExecuteApiEndpoint: config.domain !== undefined && !config.keepGatewayAddress,
      cloudWatchRole: false,
      deployOptions: {
        stageName: config.stage,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat,
        ...throttling,
        methodOptions: filesOptions(),
        ...(isTraced && { tracingEnabled: true }),
      },
    });
    this.accessLog = accessLog;
    // RestApi adds an output that is wrong with a domain name and redundant without one.
    this.node.tryRemoveChild('Endpoint');
    // A stage with an access log needs the setting.
    if (config.apiGatewayLogRole === 'create') this.deploymentStage.node.addDependency(this.setLogRole());
    this.acknowledgeFindings(isTraced);
    if (config.domain !== undefined) this.mapDomain(config.domain);
  }

  /** Sets the response to one of API Gateway's own failures. */
  answerFailure(response: GatewayResponse): void {
    this.addGatewayResponse(response.type, {
      type: ResponseType.of(response.type),
      statusCode: response.statusCode,
      responseHeaders: { ...response.headers },
      templates: { 'application/json': response.body },
    });
  }

  /**
   * The role that API Gateway uses to write the access logs of every REST API in the account and Region. Retained when
   * the stack is deleted, or its first deployment fails, because other APIs may use it.
   */
  private setLogRole(): CfnAccount {
    const scope = new Construct(this, 'LogRole');
    const statement = new PolicyStatement({ actions: logActions, resources: ['*'] });
    const role = new Role(scope, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { WriteLogs: new PolicyDocument({ statements: [statement] }) },
    });
    const setting = new CfnAccount(scope, 'Setting', { cloudWatchRoleArn: role.roleArn });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'API Gateway uses one role per account and Region for the logs of every API, under any log group name, ' +
        'and refuses a role that cannot create log groups; only API Gateway may assume it',
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    setting.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return setting;
  }

  private acknowledgeFindings(isTraced: boolean): void {
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason:
        'Each function validates the whole request against the schemas of shared/contract and names the wrong ' +
        "fields in a problem document, which the gateway's own 400 cannot do",
    });
    Validations.of(this.deploymentStage).acknowledge(
      {
        id: 'AwsSolutions-APIG3',
        reason:
          'A web ACL costs more per month than the whole idle service. The stage is throttled, each ' +
          'credential has a limit, and no request text reaches SQL, a shell or HTML; an operator can attach one',
      },
      {
        id: 'AwsSolutions-APIG6',
        reason:
          'The access log has the status of every request and the type of every gateway failure. Execution logs ' +
          'would only add headers and bodies, including credentials and new signing secrets',
      },
    );
    if (isTraced) return;
    Validations.of(this.deploymentStage).acknowledge({
      id: 'Serverless-APIGWXrayEnabled',
      reason:
        'The access log has the total and the integration time of each request, which one function serves; ' +
        'traces would cost money per request and show little more',
    });
  }

  /**
   * The unique id of this API where its stack stands in the app itself. `DomainName` would name the mapping after its
   * place in the tree: a stage that moves into another app would get a second mapping of a path that is taken.
   */
  private idInOwnApp(): string {
    const stack = new Construct(new RootConstruct(), Stack.of(this).stackName);
    return Names.nodeUniqueId(new Construct(stack, this.node.id).node);
  }

  private mapDomain({ name, certificateArn, hostedZoneId }: Domain): void {
    const mapped = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new BasePathMapping(mapped, `Map:/=>${this.idInOwnApp()}`, { domainName: mapped, restApi: this });
    // The DomainName construct has no property for the IP address type.
    const resource = mapped.node.defaultChild;
    if (!(resource instanceof CfnDomainName)) throw new Error('Cannot find the resource of the domain name');
    resource.addPropertyOverride('EndpointConfiguration.IpAddressType', dualStack.ipAddressType);
    const dnsName = mapped.domainNameAliasDomainName;
    if (hostedZoneId === undefined) {
      // For a record in the operator's own DNS.
      new CfnOutput(Stack.of(this), 'DomainTarget', { value: dnsName });
      return;
    }
    const aliasTarget = { dnsName, hostedZoneId: mapped.domainNameAliasHostedZoneId };
    for (const [id, type] of Object.entries({ Address: 'A', AddressIpv6: 'AAAA' })) {
      new CfnRecordSet(this, id, { hostedZoneId, name: `${name}.`, type, aliasTarget });
    }
  }
}
