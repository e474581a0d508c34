import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operatorFunctionsOutput, portalLinkFunctionOutput } from '#shared/contract/deployment.ts';
import {
  filesFunctionFolder,
  operationFolder,
  operatorFolder,
  operatorOperations,
} from '#shared/contract/functions.ts';
import { operationNames, publicMethods, publicPaths, routes } from '#shared/contract/routes.ts';
import { gatewayResponses } from '../../lib/constructs/gateway-responses.ts';
import { everyOption, lean, ownZone, synthesizeStage } from './synthesized-stage.ts';

const { baseUrl } = lean;
const regional = { Types: ['REGIONAL'], IpAddressType: 'dualstack' };
const publicRequests = publicPaths.flatMap((path) => publicMethods.map((method) => [method, path] as const));

const stage = await synthesizeStage(lean);
const defaults = await synthesizeStage();

describe('the routes', () => {
  it('every operation and published file reaches its function, and all other requests reach the fallback', () => {
    const resources = stage.model.apis.flatMap((api) => api.resources);
    const routed = resources.flatMap(({ path, methods }) =>
      [...methods].map(([method, arn]) => [`${method} ${path}`, stage.folderOf(arn)]),
    );

    const expected = [
      ...operationNames.map((name) => [`${routes[name].method} ${routes[name].path}`, operationFolder(name)]),
      ...publicRequests.map(([method, path]) => [`${method} ${path}`, filesFunctionFolder]),
      ...['/{proxy+}', ...resources.map(({ path }) => path)].map((path) => [`ANY ${path}`, 'api/not-found']),
    ];
    expect(Object.fromEntries(routed)).toEqual(Object.fromEntries(expected));
  });

  it('the functions of the operator have none, and the operator finds them by outputs of the stack', () => {
    const found = operatorOperations.map((name) => [name, stage.functions.get(operatorFolder(name))] as const);
    const names = Object.fromEntries(found.map(([operation, known]) => [operation, known?.name]));

    expect(JSON.parse(stage.model.output(operatorFunctionsOutput))).toEqual(names);
    expect(stage.model.output(portalLinkFunctionOutput)).toBe(names.createPortalLink);
    const consumers = stage.model.mappings.map(({ functionArn }) => functionArn);
    expect(found.filter(([, known]) => consumers.includes(known?.arn ?? ''))).toEqual([]);
    stage.api.resourceCountIs('AWS::Lambda::Url', 0);
  });
});

describe('the gateway', () => {
  it('the gateway answers each of its own failures with the body, status and headers of a problem', () => {
    const expected = gatewayResponses(`${baseUrl}/docs`).map(({ type, statusCode, headers, body }) => {
      const named = Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]);
      const templates = { 'application/json': body };
      return [type, { statusCode: Number(statusCode), parameters: Object.fromEntries(named), templates }];
    });

    expect(stage.model.apis.map((api) => Object.fromEntries(api.gatewayResponses))).toEqual([
      Object.fromEntries(expected),
    ]);
  });

  it('the API is Regional, has IPv4 and IPv6, and passes bodies to the functions byte for byte', () => {
    stage.api.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: regional,
      BinaryMediaTypes: ['*/*'],
    });
  });

  it('the gateway limits requests for published files apart from those of the API', () => {
    const settings = publicRequests.map(([method, path]) => ({
      HttpMethod: method,
      ResourcePath: path === '/' ? '/' : `/${path.replaceAll('/', '~1')}`,
      DataTraceEnabled: false,
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 200,
    }));

    stage.api.hasResourceProperties('AWS::ApiGateway::Stage', { MethodSettings: Match.arrayWith(settings) });
  });

  it('the gateway limits all requests together, logs no payload, and keeps an access log', () => {
    stage.api.hasResourceProperties('AWS::ApiGateway::Stage', {
      StageName: 'dev',
      MethodSettings: Match.arrayWith([
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          DataTraceEnabled: false,
          ThrottlingRateLimit: 1_000,
          ThrottlingBurstLimit: 2_000,
        },
      ]),
      AccessLogSetting: {
        Format: Match.stringLikeRegexp(
          '^(?!.*(context\\.(path|authorizer|requestOverride)|[Aa]uthorization)).*"status":"\\$context\\.status"',
        ),
      },
    });
  });

  it('a stage with apiGatewayLogRole=existing does not set the log role of the account', () => {
    defaults.api.resourceCountIs('AWS::ApiGateway::Account', 1);
    stage.api.resourceCountIs('AWS::ApiGateway::Account', 0);
    // API Gateway refuses a stage with an access log until the account has the role.
    const DependsOn = Match.arrayWith([Match.stringLikeRegexp('LogRoleSetting')]);
    defaults.api.hasResource('AWS::ApiGateway::Stage', { DependsOn });
  });
});

describe('the public address', () => {
  const { domainName, hostedZoneId } = everyOption;
  const ofDomain = (attribute: string) => ({ 'Fn::GetAtt': [Match.stringLikeRegexp('Domain'), attribute] });
  const target = { DNSName: ofDomain('RegionalDomainName'), HostedZoneId: ofDomain('RegionalHostedZoneId') };

  it('the public address is the one of API Gateway by default, else the one of the settings', () => {
    expect(defaults.model.output('ApiUrl')).toMatch(/^https:\/\/\w+\.execute-api\.us-east-1\.amazonaws\.com\/dev$/);
    expect([stage.model.output('ApiUrl'), stage.model.output('DocsUrl')]).toEqual([baseUrl, `${baseUrl}/docs`]);
  });

  it('the public address is the domain name, mapped at the root, when one is set', async () => {
    const { api } = await synthesizeStage(everyOption);

    api.hasOutput('ApiUrl', { Value: `https://${domainName}` });
    api.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: Match.absent() });
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    for (const Type of ['A', 'AAAA']) {
      api.hasResourceProperties('AWS::Route53::RecordSet', {
        HostedZoneId: hostedZoneId,
        Name: `${domainName}.`,
        Type,
        AliasTarget: target,
      });
    }
    expect(api.findOutputs('DomainTarget')).toEqual({});
  });

  it('a domain without a hosted zone is reached over IPv4 and IPv6 with TLS 1.2 at least, and its DNS target is an output', async () => {
    const { api } = await synthesizeStage(ownZone);

    api.hasResourceProperties('AWS::ApiGateway::DomainName', {
      EndpointConfiguration: regional,
      SecurityPolicy: 'TLS_1_2',
    });
    api.resourceCountIs('AWS::Route53::RecordSet', 0);
    api.hasOutput('DomainTarget', { Value: target.DNSName });
  });

  it('the address of API Gateway stays reachable beside a domain when a setting asks for that', async () => {
    const { api } = await synthesizeStage(ownZone);

    api.hasOutput('ApiUrl', { Value: `https://${domainName}` });
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: false });
  });
});
