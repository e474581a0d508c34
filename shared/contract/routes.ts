import type { ProblemCode } from './problem-codes.ts';

/**
 * Every HTTP operation of the service. The API stack, the handlers' folders, the local gateway, the documentation and
 * the tests of all routes derive from this list.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** API Gateway path template; parameters in braces. */
  readonly path: string;
  /** Status of a success. */
  readonly status: 200 | 201 | 202 | 204;
  readonly summary: string;
  /** Codes that this operation can raise beyond those of every customer operation. */
  readonly problems: readonly ProblemCode[];
  /** Reads no credential, and a published file responds. Left out: acts for a customer. */
  readonly isPublic?: true;
  /** Changes nothing although its method is not `GET`. */
  readonly onlyReads?: true;
  /** Takes an `Idempotency-Key`. */
  readonly takesKey?: true;
};

function get(path: string, summary: string, problems: Route['problems']): Route {
  return { method: 'GET', path, status: 200, summary, problems };
}

function post(path: string, status: Route['status'], summary: string, problems: Route['problems']): Route {
  return { method: 'POST', path, status, summary, problems };
}

/** One that takes an `Idempotency-Key`. */
function postOnce(...[path, status, summary, problems]: Parameters<typeof post>): Route {
  const ofKey = ['idempotency_key_reused', 'idempotency_in_progress'] as const;
  return { ...post(path, status, summary, [...problems, ...ofKey]), takesKey: true };
}

export const routes = {
  registerWebhook: postOnce('/v1/webhooks', 201, 'Register an endpoint and send it a test event', [
    'invalid_request',
    'webhook_limit_exceeded',
  ]),
  listWebhooks: get('/v1/webhooks', 'List endpoints, newest first', ['invalid_request']),
  getWebhook: get('/v1/webhooks/{id}', 'Read one endpoint', ['not_found']),
  getWebhookStats: get('/v1/webhooks/{id}/stats', 'Read the figures of an endpoint', ['not_found']),
  listActivity: get('/v1/webhooks/{id}/activity', 'List what was done to an endpoint and by whom, newest first', [
    'invalid_request',
    'not_found',
  ]),
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    status: 204,
    summary: 'Delete an endpoint; its delivery history stays readable',
    problems: ['not_found'],
  },
  rotateSecret: postOnce(
    '/v1/webhooks/{id}/rotate',
    200,
    'Create a new signing secret; the old one stays valid for 24 hours',
    ['not_found', 'webhook_not_active', 'webhook_rotation_in_progress'],
  ),
  listDeliveries: get('/v1/webhooks/{id}/deliveries', 'List the deliveries of an endpoint, newest first', [
    'invalid_request',
    'not_found',
  ]),
  listAllDeliveries: get('/v1/deliveries', 'List the deliveries of all endpoints, newest first', ['invalid_request']),
  getDelivery: get('/v1/webhooks/{id}/deliveries/{deliveryId}', 'Read one delivery with its attempt log', [
    'not_found',
  ]),
  replayDelivery: postOnce(
    '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    202,
    'Send the event of a finished delivery again, as a new delivery',
    ['not_found', 'webhook_not_active', 'delivery_in_progress'],
  ),
  sendExample: postOnce('/v1/webhooks/{id}/examples', 202, 'Send an example of an event to one endpoint', [
    'invalid_request',
    'not_found',
    'webhook_not_active',
  ]),
  createBulkReplay: postOnce('/v1/webhooks/{id}/replays', 202, 'Replay every delivery of a time range that failed', [
    'invalid_request',
    'not_found',
    'webhook_not_active',
    'replay_in_progress',
  ]),
  planBulkReplay: {
    ...post('/v1/webhooks/{id}/replays/plan', 200, 'Count what a bulk replay would send, without sending it', [
      'invalid_request',
      'not_found',
      'webhook_not_active',
    ]),
    onlyReads: true,
  },
  listBulkReplays: get('/v1/webhooks/{id}/replays', 'List the bulk replays of an endpoint, newest first', [
    'invalid_request',
    'not_found',
  ]),
  getBulkReplay: get('/v1/webhooks/{id}/replays/{replayId}', 'Read one bulk replay and its progress', ['not_found']),
  cancelBulkReplay: postOnce('/v1/webhooks/{id}/replays/{replayId}/cancel', 200, 'Cancel a bulk replay', ['not_found']),
  listRuns: get('/v1/runs', 'List Runs, newest first', ['invalid_request']),
  getRun: get('/v1/runs/{id}', 'Read one Run', ['not_found']),
  listRunItems: get('/v1/runs/{id}/items', 'List the items of a Run, newest first', [
    'invalid_request',
    'not_found',
    'run_not_ready',
  ]),
  getTracker: get('/v1/trackers/{id}', 'Read one Tracker', ['not_found']),
  listChangeReports: get('/v1/trackers/{id}/changes', 'List the Change Reports of a Tracker, newest first', [
    'invalid_request',
    'not_found',
  ]),
  listCreatorVideos: get(
    '/v1/creators/{platform}/{handle}/videos',
    'List the stored videos of a creator, newest first',
    ['invalid_request', 'unsupported_platform', 'not_found'],
  ),
  getCredential: get('/v1/credential', 'Read who the credential of this request acts for', []),
  getAddresses: get('/v1/addresses', 'Read the addresses that deliveries come from', []),
  getProblemPage: {
    ...get('/docs/errors/{code}', 'Read the documentation page of a problem code', ['not_found']),
    isPublic: true,
  },
} satisfies Record<string, Route>;

export type OperationName = keyof typeof routes;

export const operationNames = Object.keys(routes).filter(isOperationName);

function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(routes, text);
}

type PublicOperation = {
  [Name in OperationName]: (typeof routes)[Name] extends { readonly isPublic: true } ? Name : never;
}[OperationName];
export type CustomerOperation = Exclude<OperationName, PublicOperation>;

/** Whether an operation reads no credential. Every other one acts for a customer. */
export function isPublic(name: OperationName): name is PublicOperation {
  const route: Route = routes[name];
  return route.isPublic === true;
}

/** Whether an operation changes or sends something. Only others are open to a credential that may only read. */
export function isChange(name: OperationName): boolean {
  const { method, onlyReads }: Route = routes[name];
  return method !== 'GET' && onlyReads !== true;
}

/** Whether an operation takes an `Idempotency-Key`. */
export function takesKey(name: OperationName): boolean {
  const { takesKey: takes }: Route = routes[name];
  return takes === true;
}

/** The methods of every path of published files. HTTP asks for `HEAD` beside `GET`; monitors and link checkers use it. */
export const publicMethods = ['GET', 'HEAD'] as const;

/**
 * Paths of the published files, which need no credential. They are no operations, so the OpenAPI document
 * does not have them. A path that ends in a greedy parameter stands for every file below it.
 */
const filePaths = [
  '/',
  '/docs',
  '/docs/errors',
  '/docs/{file+}',
  '/openapi.json',
  '/llms.txt',
  '/console',
  '/console/{file+}',
] as const;

/** Every path that one function serves with files, including that of the problem pages. */
export const publicPaths: readonly string[] = [
  ...filePaths,
  ...operationNames.filter(isPublic).map((name) => routes[name].path),
];
