import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  CfnDomainName,
  type DomainName,
  EndpointType,
  IpAddressType,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  ResponseType,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import { publicMethods, publicPaths } from '#shared/contract/routes.ts';
import type { Config, Domain } from '../settings/config.ts';
import { removalPolicyOf } from '../settings/stage-props.ts';
import { GatewayLogRole } from './gateway-log-role.ts';
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

/** A Regional REST API: only REST APIs can set the bodies of API Gateway's own failures. */
export class ServiceApi extends RestApi {
  readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, config: Config) {
    const accessLog = new LogGroup(scope, `${id}AccessLog`, {
      retention: config.logRetentionDays,
      removalPolicy: removalPolicyOf(config),
    });
    super(scope, id, {
      restApiName: `webhooks-${config.stage}`,
      endpointConfiguration: dualStack,
      // Otherwise API Gateway replaces invalid UTF-8 in a body, and the function cannot refuse it.
      binaryMediaTypes: ['*/*'],
      disableExecuteApiEndpoint: config.domain !== undefined,
      cloudWatchRole: false,
      deployOptions: {
        stageName: config.stage,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat,
        ...throttling,
        methodOptions: filesOptions(),
      },
    });
    this.accessLog = accessLog;
    // RestApi adds an output that is wrong with a domain name and redundant without one.
    this.node.tryRemoveChild('Endpoint');
    this.configureLogRole(config);
    this.acknowledgeFindings();
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

  private configureLogRole(config: Config): void {
    if (config.apiGatewayLogRole === 'existing') return;
    this.deploymentStage.node.addDependency(new GatewayLogRole(this, 'LogRole').setting);
  }

  private acknowledgeFindings(): void {
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
      {
        id: 'Serverless-APIGWXrayEnabled',
        reason:
          'The access log has the total and the integration time of each request, which one function serves; ' +
          'traces would cost money per request and show little more',
      },
    );
  }

  private mapDomain(domain: Domain): void {
    const mapped = this.addDomainName('Domain', {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    allowIpv6(mapped);
    if (domain.hostedZoneId === undefined) this.nameTarget(mapped);
    else this.addAddresses(domain.name, domain.hostedZoneId, mapped);
  }

  /** Outputs the target for a record in the operator's own DNS. */
  private nameTarget(mapped: DomainName): void {
    new CfnOutput(Stack.of(this), 'DomainTarget', { value: mapped.domainNameAliasDomainName });
  }

  private addAddresses(name: string, hostedZoneId: string, mapped: DomainName): void {
    const aliasTarget = {
      dnsName: mapped.domainNameAliasDomainName,
      hostedZoneId: mapped.domainNameAliasHostedZoneId,
    };
    const records = { Address: 'A', AddressIpv6: 'AAAA' } as const;
    for (const [id, type] of Object.entries(records)) {
      new CfnRecordSet(this, id, { hostedZoneId, name: `${name}.`, type, aliasTarget });
    }
  }
}

/** The DomainName construct has no property for the IP address type. */
function allowIpv6(domain: DomainName): void {
  const resource = domain.node.defaultChild;
  if (!(resource instanceof CfnDomainName)) throw new Error('Cannot find the resource of the domain name');
  resource.addPropertyOverride('EndpointConfiguration.IpAddressType', dualStack.ipAddressType);
}
