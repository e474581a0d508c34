import { z } from 'zod';

const resourceSchema = z.object({ ParentId: z.string(), PathPart: z.string() });

const methodSchema = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  Integration: z.object({ Type: z.string(), Uri: z.string().optional() }),
});

const gatewayResponseSchema = z.object({
  ResponseType: z.string(),
  StatusCode: z.coerce.number().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

/** A path of the API, with the function for each of its methods (including `ANY`). */
export type ApiResource = {
  /** Template path, for example `/v1/webhooks/{id}`. */
  readonly path: string;
  /** ARN of the function by method. */
  readonly methods: ReadonlyMap<string, string>;
};

/** The response of the gateway to a failure that reaches no function. */
export type GatewayResponse = {
  readonly statusCode: number | undefined;
  /** Parameter mappings by destination, as in the template. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly templates: Readonly<Record<string, string>>;
};

export type ApiModel = {
  readonly id: string;
  readonly stageName: string;
  readonly resources: readonly ApiResource[];
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponse>;
  readonly binaryMediaTypes: readonly string[];
};

/** Resources of one REST API, with intrinsic functions resolved. */
type ApiParts = {
  readonly id: string;
  readonly rootResourceId: string;
  readonly resources: ReadonlyMap<string, unknown>;
  readonly methods: readonly unknown[];
};

export function apiResources(parts: ApiParts): ApiResource[] {
  const paths = resourcePaths(parts);
  const methodsByPath = new Map<string, Map<string, string>>();
  for (const properties of parts.methods) {
    const method = methodSchema.parse(properties);
    const path = paths.get(method.ResourceId);
    const functionArn = integratedFunction(method.Integration.Uri);
    if (path === undefined || functionArn === undefined) continue;
    const methods = methodsByPath.get(path) ?? new Map<string, string>();
    methodsByPath.set(path, methods.set(method.HttpMethod, functionArn));
  }
  // Also routes a resource without methods, because it takes precedence over a greedy path beside it.
  return [...new Set(paths.values())].map((path) => ({
    path,
    methods: methodsByPath.get(path) ?? new Map(),
  }));
}

function resourcePaths(parts: ApiParts): Map<string, string> {
  const parsed = new Map([...parts.resources].map(([id, given]) => [id, resourceSchema.parse(given)]));
  const pathOf = (id: string): string => {
    if (id === parts.rootResourceId) return '';
    const resource = parsed.get(id);
    if (resource === undefined)
      throw new Error(`Cannot place resource "${id}": API "${parts.id}" has no such resource`);
    return `${pathOf(resource.ParentId)}/${resource.PathPart}`;
  };
  return new Map([[parts.rootResourceId, '/'], ...[...parsed.keys()].map((id) => [id, pathOf(id)] as const)]);
}

/** `undefined` for integrations that are not a Lambda proxy. */
function integratedFunction(uri: string | undefined): string | undefined {
  return /\/functions\/(arn:[^/]+)\/invocations$/.exec(uri ?? '')?.[1];
}

/** The type of a failure, and the response to it. */
export function gatewayResponse(properties: unknown): [string, GatewayResponse] {
  const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } =
    gatewayResponseSchema.parse(properties);
  return [
    ResponseType,
    { statusCode: StatusCode, parameters: ResponseParameters, templates: ResponseTemplates },
  ];
}
