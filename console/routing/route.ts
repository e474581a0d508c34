/**
 * The addresses of the views, in the fragment: it never leaves the browser, works below any prefix, and survives a
 * reload. A name in braces is an id. The first address that fits is taken.
 */
const addresses = {
  endpoints: 'endpoints',
  'new-endpoint': 'endpoints/new',
  endpoint: 'endpoints/{webhookId}',
  deliveries: 'deliveries',
  delivery: 'endpoints/{webhookId}/deliveries/{deliveryId}',
  /** The choice of an endpoint whose failed deliveries are resent. */
  resend: 'resend',
  replays: 'endpoints/{webhookId}/replays',
  replay: 'endpoints/{webhookId}/replays/{replayId}',
  /** A check of a request that a receiver got. */
  signature: 'signature',
  runs: 'runs',
  run: 'runs/{runId}',
  tracker: 'trackers/{trackerId}',
  /** A Tracker with one of its Change Reports open. */
  report: 'trackers/{trackerId}/reports/{reportId}',
} as const;

type Addresses = typeof addresses;
type IdName<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdName<Rest> : never;

type RouteOf<View extends keyof Addresses> = { readonly view: View } & {
  readonly [name in IdName<Addresses[View]>]: string;
};

/** A view with the ids of its address. */
export type Route =
  | { readonly [view in keyof Addresses]: RouteOf<view> }[Exclude<keyof Addresses, 'deliveries'>]
  | (RouteOf<'deliveries'> & { readonly filters: Filters })
  | { readonly view: 'unknown' };

/** Names of the filters in a link to the deliveries, and in the query of the API. `webhook` is the endpoint. */
export const filterNames = [
  'webhook',
  'status',
  'event_type',
  'response_status',
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
  if (path === '') return { view: 'endpoints' };
  for (const [view, address] of Object.entries(addresses)) {
    const pattern = address.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const found = new RegExp(`^${pattern}$`).exec(path);
    if (found === null) continue;
    if (view === 'deliveries') return { view, filters: parseFilters(query) };
    const ids = Object.entries({ ...found.groups }).map(([name, part]) => [name, decoded(part)] as const);
    const route = { view, ...Object.fromEntries(ids) };
    if (isRoute(route)) return route;
  }
  return { view: 'unknown' };
}

/** An address has every id of its view: `Route` has their names from it. */
function isRoute(read: { readonly view: string }): read is Exclude<Route, { readonly view: 'deliveries' }> {
  return read.view in addresses;
}

function parseFilters(query: string): Filters {
  const given = new URLSearchParams(query);
  return withoutEmpty(Object.fromEntries(filterNames.map((name) => [name, given.get(name) ?? ''] as const)));
}

/** The filters without those that are absent or empty. */
export function withoutEmpty(filters: { readonly [name in FilterName]?: string | undefined }): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''));
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
  const named = filterNames.map((name) => [name, filters[name] ?? ''] as const);
  const query = new URLSearchParams(Object.fromEntries(named.filter(([, value]) => value !== '')));
  return query.size === 0 ? '' : `?${query}`;
}
