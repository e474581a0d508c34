/**
 * The views of the console, by the fragment of the address. A fragment never leaves the browser, works below any
 * prefix, and survives a reload.
 */
export type Route =
  | { readonly view: 'endpoints' }
  | { readonly view: 'new-endpoint' }
  | { readonly view: 'endpoint'; readonly webhookId: string }
  | { readonly view: 'deliveries'; readonly filters: Filters }
  | { readonly view: 'delivery'; readonly webhookId: string; readonly deliveryId: string }
  | { readonly view: 'replays'; readonly webhookId: string }
  | { readonly view: 'replay'; readonly webhookId: string; readonly replayId: string }
  | { readonly view: 'runs' }
  | { readonly view: 'run'; readonly runId: string }
  | { readonly view: 'tracker'; readonly trackerId: string }
  | { readonly view: 'unknown' };

/** Names of the filters in a link to the deliveries, and in the query of the API. `webhook` is the endpoint. */
export const filterNames = [
  'webhook',
  'status',
  'event_type',
  'event_id',
  'run_id',
  'created_after',
  'created_before',
] as const;

export type FilterName = (typeof filterNames)[number];
export type Filters = { readonly [name in FilterName]?: string };

/** @param fragment with or without `#` */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?');
  const [head = '', ...rest] = path.split('/').map(decoded);
  const [first, second, third] = rest;
  if (rest.includes('')) return { view: 'unknown' };
  switch (head) {
    case '':
    case 'endpoints':
      return endpointRoute(rest);
    case 'deliveries':
      return first === undefined ? { view: 'deliveries', filters: parseFilters(query) } : { view: 'unknown' };
    case 'runs':
      if (second !== undefined) return { view: 'unknown' };
      return first === undefined ? { view: 'runs' } : { view: 'run', runId: first };
    case 'trackers':
      return first === undefined || third !== undefined
        ? { view: 'unknown' }
        : { view: 'tracker', trackerId: first };
    default:
      return { view: 'unknown' };
  }
}

function endpointRoute([webhookId, part, id, ...more]: readonly string[]): Route {
  if (webhookId === undefined) return { view: 'endpoints' };
  if (more.length > 0) return { view: 'unknown' };
  if (part === undefined)
    return webhookId === 'new' ? { view: 'new-endpoint' } : { view: 'endpoint', webhookId };
  if (part === 'replays') {
    return id === undefined ? { view: 'replays', webhookId } : { view: 'replay', webhookId, replayId: id };
  }
  if (part === 'deliveries' && id !== undefined) return { view: 'delivery', webhookId, deliveryId: id };
  return { view: 'unknown' };
}

function parseFilters(query: string): Filters {
  const given = new URLSearchParams(query);
  const known = filterNames.flatMap((name) => {
    const value = given.get(name);
    return value === null || value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}

/** A part that is not well encoded is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a view, for `href`. */
export function hrefOf(route: Route): string {
  return `#/${pathOf(route)}`;
}

function pathOf(route: Route): string {
  switch (route.view) {
    case 'endpoints':
    case 'unknown':
      return 'endpoints';
    case 'new-endpoint':
      return 'endpoints/new';
    case 'endpoint':
      return `endpoints/${encoded(route.webhookId)}`;
    case 'deliveries':
      return `deliveries${queryOf(route.filters)}`;
    case 'delivery':
      return `endpoints/${encoded(route.webhookId)}/deliveries/${encoded(route.deliveryId)}`;
    case 'replays':
      return `endpoints/${encoded(route.webhookId)}/replays`;
    case 'replay':
      return `endpoints/${encoded(route.webhookId)}/replays/${encoded(route.replayId)}`;
    case 'runs':
      return 'runs';
    case 'run':
      return `runs/${encoded(route.runId)}`;
    case 'tracker':
      return `trackers/${encoded(route.trackerId)}`;
  }
}

function queryOf(filters: Filters): string {
  const query = new URLSearchParams(
    filterNames.flatMap((name) => {
      const value = filters[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return query.size === 0 ? '' : `?${query}`;
}

const encoded = encodeURIComponent;
