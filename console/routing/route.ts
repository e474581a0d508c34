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
  | {
      readonly view: 'tracker';
      readonly trackerId: string;
      /** The Change Report to open; `null` for none. */
      readonly reportId: string | null;
    }
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
  if (rest.includes('')) return { view: 'unknown' };
  switch (head) {
    case '':
    case 'endpoints':
      return endpointRoute(rest);
    case 'deliveries':
      return rest.length === 0 ? { view: 'deliveries', filters: parseFilters(query) } : { view: 'unknown' };
    case 'resend':
      return { view: rest.length === 0 ? 'resend' : 'unknown' };
    case 'runs':
      return runRoute(rest);
    case 'trackers':
      return trackerRoute(rest);
    default:
      return { view: 'unknown' };
  }
}

function runRoute([runId, ...more]: readonly string[]): Route {
  if (more.length > 0) return { view: 'unknown' };
  return runId === undefined ? { view: 'runs' } : { view: 'run', runId };
}

function trackerRoute([trackerId, part, reportId, ...more]: readonly string[]): Route {
  if (trackerId === undefined || more.length > 0) return { view: 'unknown' };
  if (part === undefined) return { view: 'tracker', trackerId, reportId: null };
  return part === 'reports' && reportId !== undefined
    ? { view: 'tracker', trackerId, reportId }
    : { view: 'unknown' };
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
    case 'resend':
      return 'resend';
    case 'runs':
      return 'runs';
    case 'run':
      return `runs/${encoded(route.runId)}`;
    case 'tracker': {
      const report = route.reportId === null ? '' : `/reports/${encoded(route.reportId)}`;
      return `trackers/${encoded(route.trackerId)}${report}`;
    }
  }
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

const encoded = encodeURIComponent;
