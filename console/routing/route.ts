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
  /** The choice of an endpoint whose failed deliveries are resent. */
  | { readonly view: 'resend' }
  | { readonly view: 'replays'; readonly webhookId: string }
  | { readonly view: 'replay'; readonly webhookId: string; readonly replayId: string }
  | { readonly view: 'runs' }
  | { readonly view: 'run'; readonly runId: string }
  | { readonly view: 'tracker'; readonly trackerId: string }
  /** A Tracker with one of its Change Reports open. */
  | { readonly view: 'report'; readonly trackerId: string; readonly reportId: string }
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

/** The address of each view, where a name in braces is an id. The first one that fits is taken. */
const addresses = {
  endpoints: 'endpoints',
  'new-endpoint': 'endpoints/new',
  endpoint: 'endpoints/{webhookId}',
  deliveries: 'deliveries',
  delivery: 'endpoints/{webhookId}/deliveries/{deliveryId}',
  resend: 'resend',
  replays: 'endpoints/{webhookId}/replays',
  replay: 'endpoints/{webhookId}/replays/{replayId}',
  runs: 'runs',
  run: 'runs/{runId}',
  tracker: 'trackers/{trackerId}',
  report: 'trackers/{trackerId}/reports/{reportId}',
} as const satisfies Record<Exclude<Route['view'], 'unknown'>, string>;

/** @param fragment with or without `#` */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?');
  if (path === '') return { view: 'endpoints' };
  for (const [view, address] of Object.entries(addresses)) {
    const pattern = address.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const found = new RegExp(`^${pattern}$`).exec(path);
    if (found === null) continue;
    if (view === 'deliveries') return { view, filters: parseFilters(query) };
    const ids = Object.entries({ ...found.groups }).map(([name, part]) => [name, decoded(part)]);
    // The address of a view names its ids.
    return { view, ...Object.fromEntries(ids) } as Route;
  }
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
  if (route.view === 'unknown') return hrefOf({ view: 'endpoints' });
  const ids: Readonly<Record<string, unknown>> = { ...route };
  const path = addresses[route.view].replace(/\{(\w+)\}/g, (_part, name: string) =>
    encodeURIComponent(String(ids[name])),
  );
  return `#/${path}${route.view === 'deliveries' ? queryOf(route.filters) : ''}`;
}

function queryOf(filters: Filters): string {
  const query = new URLSearchParams(
    filterNames.flatMap((name): [string, string][] => {
      const value = filters[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return query.size === 0 ? '' : `?${query}`;
}
