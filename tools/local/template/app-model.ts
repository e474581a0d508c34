import { z } from 'zod';
import { type ApiModel, apiResources, gatewayResponse } from './api-model.ts';
import type { CloudAssembly } from './cloud-assembly.ts';
import {
  type EventSourceMapping,
  eventSourceMappings,
  type FunctionModel,
  functionModel,
  type ScheduleRule,
  scheduleRules,
} from './function-model.ts';
import type { ResourceIdentity } from './identities.ts';
import { Resolver } from './intrinsics.ts';
import { type QueueModel, queueModel } from './queue-model.ts';
import { type TableModel, tableModel } from './table-model.ts';

/** All resources that the local stack runs, derived from the synthesized templates alone. */
export type AppModel = {
  readonly tables: readonly TableModel[];
  readonly queues: readonly QueueModel[];
  readonly functions: readonly FunctionModel[];
  readonly mappings: readonly EventSourceMapping[];
  readonly rules: readonly ScheduleRule[];
  readonly apis: readonly ApiModel[];
  /** Names of the EventBridge Scheduler groups. */
  readonly scheduleGroups: readonly string[];
  /** ARNs of the KMS keys. */
  readonly keyArns: readonly string[];
  /**
   * Value of a stack output.
   *
   * @throws Error when no stack has the output
   */
  readonly output: (name: string) => string;
};

const restApiIdSchema = z.object({ RestApiId: z.string() });
const restApiSchema = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });

/** One resource of the app. */
type AppResource = {
  readonly logicalId: string;
  readonly identity: ResourceIdentity;
  /** Resolves intrinsic functions on each call, so that unread properties need not be resolvable. */
  readonly properties: () => unknown;
};

type FindResources = (...types: readonly string[]) => AppResource[];

/**
 * Reads the model. Ignores resources that the local stack does not run (roles, log groups, alarms). `sqsUrl` is the
 * origin of the SQS emulator.
 */
export function readAppModel(assembly: CloudAssembly, options: { readonly sqsUrl: string }): AppModel {
  const resolver = new Resolver(assembly, options.sqsUrl);
  const find = resourceFinder(assembly, resolver);
  const functions = find('AWS::Lambda::Function').map(({ identity, properties }) =>
    functionModel({ name: identity.ref, arn: arnOf(identity) }, properties(), assembly.assetPaths),
  );
  return {
    tables: find('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(({ identity, properties }) =>
      tableModel(identity.ref, properties()),
    ),
    queues: find('AWS::SQS::Queue').map(queueOf),
    functions,
    mappings: find('AWS::Lambda::EventSourceMapping').flatMap(({ properties }) =>
      eventSourceMappings(properties(), functions),
    ),
    rules: find('AWS::Events::Rule').flatMap(({ identity, properties }) =>
      scheduleRules(arnOf(identity), properties(), functions),
    ),
    apis: find('AWS::ApiGateway::RestApi').map((restApi) => apiOf(restApi, find)),
    scheduleGroups: find('AWS::Scheduler::ScheduleGroup').map(({ identity }) => identity.ref),
    keyArns: find('AWS::KMS::Key').map(({ identity }) => arnOf(identity)),
    output: (name) => outputOf(assembly, resolver, name),
  };
}

function resourceFinder(assembly: CloudAssembly, resolver: Resolver): FindResources {
  return (...types) =>
    assembly.stacks.flatMap((stack) =>
      [...stack.resources]
        .filter(([, { type }]) => types.includes(type))
        .map(([logicalId, { properties }]) => ({
          logicalId,
          identity: resolver.identity(stack, logicalId),
          properties: () => resolver.resolve(stack, properties),
        })),
    );
}

function queueOf({ identity, properties }: AppResource): QueueModel {
  const name = identity.attributes.QueueName ?? identity.ref;
  return queueModel({ name, arn: arnOf(identity), url: identity.ref }, properties());
}

function apiOf(restApi: AppResource, find: FindResources): ApiModel {
  const id = restApi.identity.ref;
  const ofThisApi = (type: string) =>
    find(`AWS::ApiGateway::${type}`)
      .map(({ identity, properties }) => ({ id: identity.ref, properties: properties() }))
      .filter(({ properties }) => restApiIdSchema.parse(properties).RestApiId === id);
  return {
    id,
    stageName: ofThisApi('Stage')[0]?.id ?? 'local',
    resources: apiResources({
      id,
      rootResourceId: restApi.identity.attributes.RootResourceId ?? id,
      resources: new Map(ofThisApi('Resource').map((resource) => [resource.id, resource.properties])),
      methods: ofThisApi('Method').map(({ properties }) => properties),
    }),
    gatewayResponses: new Map(
      ofThisApi('GatewayResponse').map(({ properties }) => gatewayResponse(properties)),
    ),
    binaryMediaTypes: restApiSchema.parse(restApi.properties()).BinaryMediaTypes,
  };
}

function arnOf(identity: ResourceIdentity): string {
  return identity.attributes.Arn ?? identity.ref;
}

function outputOf(assembly: CloudAssembly, resolver: Resolver, name: string): string {
  const stack = assembly.stacks.find(({ outputs }) => outputs.has(name));
  if (stack === undefined) throw new Error(`Cannot read output "${name}": no stack of the app has it`);
  return z.string().parse(resolver.resolve(stack, stack.outputs.get(name)));
}
