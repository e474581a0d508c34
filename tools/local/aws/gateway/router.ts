import type { ApiResource } from '../../template/api-model.ts';

export type RouteMatch = {
  readonly resource: ApiResource;
  /** Decoded values; a greedy parameter holds the rest of the path. `null` when the path has no parameters. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

type Route = {
  readonly resource: ApiResource;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** One character per segment; sorts in the order in which API Gateway prefers routes. */
  readonly rank: string;
};

/**
 * Finds a path's resource as API Gateway does: in each segment, a literal takes precedence over a parameter, and a
 * parameter over a greedy parameter. Ignores a trailing slash.
 *
 * @returns a function that throws URIError for a path with a malformed percent encoding
 */
export function createRouter(resources: readonly ApiResource[]): (path: string) => RouteMatch | undefined {
  const routes = resources.map(routeOf).sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return (path) => {
    const bare = path.replace(/\/$/, '');
    const route = routes.find(({ pattern }) => pattern.test(bare));
    if (route === undefined) return undefined;
    const values = route.pattern.exec(bare)?.slice(1) ?? [];
    const parameters = route.names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]);
    return {
      resource: route.resource,
      pathParameters: parameters.length === 0 ? null : Object.fromEntries(parameters),
    };
  };
}

function routeOf(resource: ApiResource): Route {
  const segments = resource.path.split('/').filter((segment) => segment !== '');
  const parts = segments.map((segment) => {
    const name = /^\{(.+?)\+?\}$/.exec(segment)?.[1];
    if (name === undefined) return { rank: '1', name: [], pattern: segment.replace(/[^\w-]/g, '\\$&') };
    return segment.endsWith('+}')
      ? { rank: '3', name: [name], pattern: '(.+)' }
      : { rank: '2', name: [name], pattern: '([^/]+)' };
  });
  return {
    resource,
    pattern: new RegExp(`^${parts.map(({ pattern }) => `/${pattern}`).join('')}$`),
    names: parts.flatMap(({ name }) => name),
    rank: parts.map(({ rank }) => rank).join(''),
  };
}
