import type { ApiResource } from '../../template/api-model.ts';
import type { GatewayFailure } from './gateway-response.ts';

/** What a request reaches. */
export type Target = {
  /** Path of the template. */
  readonly resourcePath: string;
  /** Decoded values; a greedy parameter holds the rest of the path. `null` when the path has no parameters. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
  readonly functionArn: string;
};

/** Methods that `ANY` stands for. */
const anyMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds a path's resource as API Gateway does: in each segment, a literal takes precedence over a parameter, and a
 * parameter over a greedy parameter. Ignores a trailing slash.
 */
export function createRouter(resources: readonly ApiResource[]) {
  const routes = resources.map(routeOf).sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return (method: string, path: string): Target | GatewayFailure => {
    const bare = path.replace(/\/$/, '');
    const route = routes.find(({ pattern }) => pattern.test(bare));
    if (route === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
    const { pattern, names, resource } = route;
    const values = pattern.exec(bare)?.slice(1).map(decoded) ?? [];
    if (values.includes(undefined)) return 'DEFAULT_4XX';
    const functionArn =
      resource.methods.get(method) ?? (anyMethods.has(method) ? resource.methods.get('ANY') : undefined);
    if (functionArn === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
    const parameters = names.map((name, index) => [name, values[index]]);
    const pathParameters = names.length === 0 ? null : Object.fromEntries(parameters);
    return { resourcePath: resource.path, pathParameters, functionArn };
  };
}

/** `undefined` when a percent encoding is malformed. */
function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** One character of the rank per segment: it sorts in the order in which API Gateway prefers routes. */
function routeOf(resource: ApiResource) {
  const segments = resource.path.split('/').filter((segment) => segment !== '');
  const parts = segments.map((segment) => {
    const name = /^\{(.+?)\+?\}$/.exec(segment)?.[1];
    if (name === undefined) return { rank: '1', names: [], pattern: segment.replace(/[^\w-]/g, '\\$&') };
    return segment.endsWith('+}')
      ? { rank: '3', names: [name], pattern: '(.+)' }
      : { rank: '2', names: [name], pattern: '([^/]+)' };
  });
  return {
    resource,
    pattern: new RegExp(`^${parts.map(({ pattern }) => `/${pattern}`).join('')}$`),
    names: parts.flatMap(({ names }) => names),
    rank: parts.map(({ rank }) => rank).join(''),
  };
}
