import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { portalLinkFunctionOutput } from '#shared/contract/deployment.ts';
import {
  filesFunctionFolder,
  operationFolder,
  portalLinkFunctionFolder,
} from '#shared/contract/functions.ts';
import { operationNames, publicMethods, publicPaths, routes } from '#shared/contract/routes.ts';
import { gatewayResponses } from '../../lib/gateway-responses.ts';
import {
  everyOption,
  functionsByFolder,
  lean,
  ownZone,
  type SynthesizedStage,
  synthesizeStage,
} from './synthesized-stage.ts';

const resourceSchema = z.object({ PathPart: z.string(), ParentId: z.unknown() });
const methodSchema = z.object({
  HttpMethod: z.string(),
  ResourceId: z.unknown(),
  Integration: z.looseObject({ Type: z.literal('AWS_PROXY'), Uri: z.unknown() }),
});

const { baseUrl } = lean;
const regional = { Types: ['REGIONAL'], IpAddressType: 'dualstack' };
/** Operations with a function of their own. */
const operations = operationNames.filter((name) => routes[name].access === 'customer');
const publicRequests = publicPaths.flatMap((path) => publicMethods.map((method) => [method, path] as const));
let stage: SynthesizedStage;
let defaults: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage(lean);
  defaults = await synthesizeStage();
});

describe('the routes', () => {
  it('every operation and published file reaches its function, and all other requests reach the fallback', () => {
    const known = [...operations.map((name) => routes[name].path), ...publicPaths];
    const paths = new Set(['/', '/{proxy+}', ...known.flatMap(upTo)]);

    const expected = [
      ...operationNames.map((name) => [`${routes[name].method} ${routes[name].path}`, operationFolder(name)]),
      ...publicRequests.map(([method, path]) => [`${method} ${path}`, filesFunctionFolder]),
      ...[...paths].map((path) => [`ANY ${path}`, 'api/not-found']),
    ];
    expect(Object.fromEntries(methods())).toEqual(Object.fromEntries(expected));
  });
});

describe('the function that creates portal links', () => {
  it('nothing may invoke it but who has the permission of the operator: no route, no URL, no statement', () => {
    const { logicalId } = functionsByFolder(stage.api).get(portalLinkFunctionFolder) ?? {};

    expect(logicalId).toBeDefined();
    expect([...methods().values()]).not.toContain(portalLinkFunctionFolder);
    expect(JSON.stringify(stage.api.findResources('AWS::Lambda::Permission'))).not.toContain(logicalId);
    stage.api.resourceCountIs('AWS::Lambda::Url', 0);
    stage.api.resourceCountIs('AWS::Lambda::EventSourceMapping', 0);
  });

  it('the operator finds it by an output of the stack', () => {
    const { logicalId } = functionsByFolder(stage.api).get(portalLinkFunctionFolder) ?? {};

    stage.api.hasOutput(portalLinkFunctionOutput, { Value: { Ref: logicalId } });
  });
});

describe('the gateway', () => {
  it('the gateway answers each of its own failures with the body, status and headers of a problem', () => {
    const expected = gatewayResponses(`${baseUrl}/docs`);

    stage.api.resourceCountIs('AWS::ApiGateway::GatewayResponse', expected.length);
    for (const { type, statusCode, headers, body } of expected) {
      const named = Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]);
      stage.api.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
        ResponseType: type,
        StatusCode: statusCode,
        ResponseParameters: Object.fromEntries(named),
        ResponseTemplates: { 'application/json': body },
      });
    }
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
      ResourcePath: `/${path.replaceAll('/', '~1')}`,
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
        Format: Match.not(
          Match.stringLikeRegexp('context\\.(path|authorizer|requestOverride)|[Aa]uthorization'),
        ),
      },
    });
  });

  it('a stage with apiGatewayLogRole=existing does not set the log role of the account', () => {
    defaults.api.resourceCountIs('AWS::ApiGateway::Account', 1);
    stage.api.resourceCountIs('AWS::ApiGateway::Account', 0);
  });
});

describe('the public address', () => {
  const { domainName, hostedZoneId } = everyOption;
  const ofDomain = (attribute: string) => ({ 'Fn::GetAtt': [Match.stringLikeRegexp('Domain'), attribute] });
  const target = { DNSName: ofDomain('RegionalDomainName'), HostedZoneId: ofDomain('RegionalHostedZoneId') };

  it('the public address is the one of API Gateway by default', () => {
    const { Value } = defaults.api.findOutputs('ApiUrl').ApiUrl ?? {};
    const parts = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }).parse(Value);
    expect([parts['Fn::Join'][1][0], parts['Fn::Join'][1].at(-1)]).toEqual(['https://', '/dev']);
  });

  it('the public address is an output', () => {
    stage.api.hasOutput('ApiUrl', { Value: baseUrl });
    stage.api.hasOutput('DocsUrl', { Value: `${baseUrl}/docs` });
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

  it('a domain without a hosted zone is reached over IPv4 and IPv6, and its DNS target is an output', async () => {
    const { api } = await synthesizeStage(ownZone);

    api.hasResourceProperties('AWS::ApiGateway::DomainName', { EndpointConfiguration: regional });
    api.resourceCountIs('AWS::Route53::RecordSet', 0);
    api.hasOutput('DomainTarget', { Value: target.DNSName });
  });
});

/** `GET /v1/webhooks` → folder of the function that answers. */
function methods(): Map<string, string | undefined> {
  const folders = new Map(
    [...functionsByFolder(stage.api)].map(([folder, { logicalId }]) => [logicalId, folder] as const),
  );
  const found = Object.values(stage.api.findResources('AWS::ApiGateway::Method')).map((resource) =>
    methodSchema.parse(resource.Properties),
  );
  return new Map(
    found.map(({ HttpMethod, ResourceId, Integration }) => {
      const target = [...folders.keys()].find((id) => JSON.stringify(Integration.Uri).includes(`"${id}"`));
      return [`${HttpMethod} ${pathOf(ResourceId)}`, folders.get(target ?? '')];
    }),
  );
}

/** `/v1/webhooks` → `/v1`, `/v1/webhooks`. */
function upTo(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

function pathOf(reference: unknown): string {
  const resources = stage.api.findResources('AWS::ApiGateway::Resource');
  const { Ref } = z.object({ Ref: z.string().optional() }).parse(reference);
  if (Ref === undefined) return '/';
  const { PathPart, ParentId } = resourceSchema.parse(resources[Ref]?.Properties);
  return `${pathOf(ParentId)}/${PathPart}`.replace('//', '/');
}
