import { z } from 'zod';
import type { AppResource, Resolver } from './intrinsics.ts';

const restApiSchema = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });
const partSchema = z.object({ RestApiId: z.string() });
const resourceSchema = z.object({ ParentId: z.string(), PathPart: z.string() });
const methodSchema = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  Integration: z.object({ Uri: z.string().default('') }),
});

const gatewayResponseSchema = z
  .object({
    ResponseType: z.string(),
    StatusCode: z.coerce.number().optional(),
    ResponseParameters: z.record(z.string(), z.string()).default({}),
    ResponseTemplates: z.record(z.string(), z.string()).default({}),
  })
  .transform((given) => ({
    type: given.ResponseType,
    statusCode: given.StatusCode,
    /** Parameter mappings by destination, as in the template. */
    parameters: given.ResponseParameters,
    templates: given.ResponseTemplates,
  }));

/** The response of the gateway to a failure that reaches no function. */
export type GatewayResponse = Readonly<Omit<z.infer<typeof gatewayResponseSchema>, 'type'>>;

/** A path of the API, with the function for each of its methods (including `ANY`). */
export type ApiResource = Readonly<ReturnType<typeof apiResources>[number]>;

export type ApiModel = Readonly<ReturnType<typeof apiModel>>;

/** Reads one REST API and its parts. */
export function apiModel({ ref: id, attributes, properties }: AppResource, resolver: Resolver) {
  const partsOf = (type: string) =>
    resolver
      .find(`AWS::ApiGateway::${type}`)
      .map((part) => ({ id: part.ref, properties: part.properties }))
      .filter((part) => partSchema.parse(part.properties).RestApiId === id);
  const responses = partsOf('GatewayResponse').map((part) => gatewayResponseSchema.parse(part.properties));
  return {
    id,
    stageName: partsOf('Stage')[0]?.id ?? 'local',
    resources: apiResources(attributes.RootResourceId ?? id, partsOf('Resource'), partsOf('Method')),
    /** By the type of the failure. */
    gatewayResponses: new Map(responses.map(({ type, ...response }) => [type, response])),
    binaryMediaTypes: restApiSchema.parse(properties).BinaryMediaTypes,
  };
}

type Part = { readonly id: string; readonly properties: unknown };

/** Also routes a resource without methods, because it takes precedence over a greedy path beside it. */
function apiResources(rootId: string, parts: readonly Part[], methodParts: readonly Part[]) {
  const resources = new Map(parts.map(({ id, properties }) => [id, resourceSchema.parse(properties)]));
  const pathOf = (id: string): string => {
    const resource = resources.get(id);
    return resource === undefined ? '' : `${pathOf(resource.ParentId)}/${resource.PathPart}`;
  };
  const methods = methodParts.map(({ properties }) => methodSchema.parse(properties));
  return [rootId, ...resources.keys()].map((id) => ({
    /** Template path, for example `/v1/webhooks/{id}`. */
    path: pathOf(id) || '/',
    /** ARN of the function by method. */
    methods: new Map(methods.filter(({ ResourceId }) => ResourceId === id).flatMap(integratedFunction)),
  }));
}

/** A method with its function; empty for an integration that is not a Lambda proxy. */
function integratedFunction({ HttpMethod, Integration }: z.infer<typeof methodSchema>): [string, string][] {
  const functionArn = /\/functions\/(arn:[^/]+)\/invocations$/.exec(Integration.Uri)?.[1];
  return functionArn === undefined ? [] : [[HttpMethod, functionArn]];
}
