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
};

export const routes = {
  registerWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    status: 201,
    summary: 'Register an endpoint and send it a test event',
    problems: ['invalid_request', 'webhook_limit_exceeded'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    status: 200,
    summary: 'List endpoints, newest first',
    problems: ['invalid_request'],
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{id}',
    status: 200,
    summary: 'Read one endpoint',
    problems: ['not_found'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    status: 204,
    summary: 'Delete an endpoint; its delivery history stays readable',
    problems: ['not_found'],
  },
  rotateSecret: {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    status: 200,
    summary: 'Create a new signing secret; the old one stays valid for 24 hours',
    problems: ['not_found', 'webhook_not_active', 'webhook_rotation_in_progress'],
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    status: 200,
    summary: 'List the deliveries of an endpoint, newest first',
    problems: ['invalid_request', 'not_found'],
  },
  listAllDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    status: 200,
    summary: 'List the deliveries of all endpoints, newest first',
    problems: ['invalid_request'],
  },
  getDelivery: {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}',
    status: 200,
    summary: 'Read one delivery with its attempt log',
    problems: ['not_found'],
  },
  replayDelivery: {
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    status: 202,
    summary: 'Send the event of a finished delivery again, as a new delivery',
    problems: ['not_found', 'webhook_not_active', 'delivery_in_progress'],
  },
  createBulkReplay: {
    method: 'POST',
    path: '/v1/webhooks/{id}/replays',
    status: 202,
    summary: 'Replay every delivery of a time range that failed',
    problems: ['invalid_request', 'not_found', 'webhook_not_active', 'replay_in_progress'],
  },
  planBulkReplay: {
    method: 'POST',
    path: '/v1/webhooks/{id}/replays/plan',
    status: 200,
    summary: 'Count what a bulk replay would send, without sending it',
    problems: ['invalid_request', 'not_found', 'webhook_not_active'],
  },
  listBulkReplays: {
    method: 'GET',
    path: '/v1/webhooks/{id}/replays',
    status: 200,
    summary: 'List the bulk replays of an endpoint, newest first',
    problems: ['invalid_request', 'not_found'],
  },
  getBulkReplay: {
    method: 'GET',
    path: '/v1/webhooks/{id}/replays/{replayId}',
    status: 200,
    summary: 'Read one bulk replay and its progress',
    problems: ['not_found'],
  },
  cancelBulkReplay: {
    method: 'POST',
    path: '/v1/webhooks/{id}/replays/{replayId}/cancel',
    status: 200,
    summary: 'Cancel a bulk replay',
    problems: ['not_found'],
  },
  listRuns: {
    method: 'GET',
    path: '/v1/runs',
    status: 200,
    summary: 'List Runs, newest first',
    problems: ['invalid_request'],
  },
  getRun: {
    method: 'GET',
    path: '/v1/runs/{id}',
    status: 200,
    summary: 'Read one Run',
    problems: ['not_found'],
  },
  listRunItems: {
    method: 'GET',
    path: '/v1/runs/{id}/items',
    status: 200,
    summary: 'List the items of a Run, newest first',
    problems: ['invalid_request', 'not_found', 'run_not_ready'],
  },
  getTracker: {
    method: 'GET',
    path: '/v1/trackers/{id}',
    status: 200,
    summary: 'Read one Tracker',
    problems: ['not_found'],
  },
  listChangeReports: {
    method: 'GET',
    path: '/v1/trackers/{id}/changes',
    status: 200,
    summary: 'List the Change Reports of a Tracker, newest first',
    problems: ['invalid_request', 'not_found'],
  },
  listCreatorVideos: {
    method: 'GET',
    path: '/v1/creators/{platform}/{handle}/videos',
    status: 200,
    summary: 'List the stored videos of a creator, newest first',
    problems: ['invalid_request', 'unsupported_platform', 'not_found'],
  },
  getCredential: {
    method: 'GET',
    path: '/v1/credential',
    status: 200,
    summary: 'Read who the credential of this request acts for',
    problems: [],
  },
  getProblemPage: {
    method: 'GET',
    path: '/docs/errors/{code}',
    status: 200,
    summary: 'Read the documentation page of a problem code',
    problems: ['not_found'],
  },
} as const satisfies Record<string, Route>;

export type OperationName = keyof typeof routes;

export const operationNames = Object.keys(routes).filter(isOperationName);

function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(routes, text);
}

/** Whether an operation reads no credential. Every other one acts for a customer. */
export function isPublic(name: OperationName): boolean {
  return name === 'getProblemPage';
}

/** The methods of every path of published files. HTTP asks for `HEAD` beside `GET`; monitors and link checkers use it. */
export const publicMethods = ['GET', 'HEAD'] as const;

/**
 * Paths of the published files, which need no credential. They are no operations, so the OpenAPI document
 * does not have them. A path that ends in a greedy parameter stands for every file below it.
 */
const filePaths = [
  '/docs',
  '/docs/errors',
  '/docs/{file+}',
  '/openapi.json',
  '/console',
  '/console/{file+}',
] as const;

/** Every path that one function serves with files, including that of the problem pages. */
export const publicPaths: readonly string[] = [
  ...filePaths,
  ...operationNames.filter(isPublic).map((name) => routes[name].path),
];
