import type { ApiResource } from '../../template/api-model.ts';

export type RouteMatch = {
  readonly resource: ApiResource;
  /** Decoded values; a greedy one holds the rest of the path. `null` when the path has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

type Node = {
  resource: ApiResource | undefined;
  readonly literal: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  greedy: { readonly name: string; readonly resource: ApiResource } | undefined;
};

/**
 * Finds the resource of a path as API Gateway does: literal segments before parameters before a greedy
 * parameter; a trailing slash does not matter.
 */
export function createRouter(resources: readonly ApiResource[]): (path: string) => RouteMatch | undefined {
  const root = emptyNode();
  for (const resource of resources) insert(root, segmentsOf(resource.path), resource);
  return (path) => {
    const found = find(root, segmentsOf(path));
    if (found === undefined) return undefined;
    const parameters = Object.entries(found.parameters);
    return {
      resource: found.resource,
      pathParameters: parameters.length === 0 ? null : found.parameters,
    };
  };
}

function emptyNode(): Node {
  return { resource: undefined, literal: new Map(), parameter: undefined, greedy: undefined };
}

function segmentsOf(path: string): string[] {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

function insert(node: Node, segments: readonly string[], resource: ApiResource): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    node.resource = resource;
    return;
  }
  const name = /^\{(.+?)(\+?)\}$/.exec(segment);
  if (name?.[1] !== undefined && name[2] === '+') {
    node.greedy = { name: name[1], resource };
  } else if (name?.[1] !== undefined) {
    node.parameter ??= { name: name[1], node: emptyNode() };
    insert(node.parameter.node, rest, resource);
  } else {
    const child = node.literal.get(segment) ?? emptyNode();
    node.literal.set(segment, child);
    insert(child, rest, resource);
  }
}

type Found = { readonly resource: ApiResource; readonly parameters: Record<string, string> };

function find(node: Node, segments: readonly string[]): Found | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    return node.resource && { resource: node.resource, parameters: {} };
  }
  const literal = node.literal.get(segment);
  return (
    (literal && find(literal, rest)) ?? findBelowParameter(node, segment, rest) ?? findGreedy(node, segments)
  );
}

function findBelowParameter(node: Node, segment: string, rest: readonly string[]): Found | undefined {
  if (node.parameter === undefined || segment === '') return undefined;
  const found = find(node.parameter.node, rest);
  return (
    found && {
      resource: found.resource,
      parameters: { [node.parameter.name]: decodeURIComponent(segment), ...found.parameters },
    }
  );
}

function findGreedy(node: Node, segments: readonly string[]): Found | undefined {
  return (
    node.greedy && {
      resource: node.greedy.resource,
      parameters: { [node.greedy.name]: decodeURIComponent(segments.join('/')) },
    }
  );
}
