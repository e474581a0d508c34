import { type OperationName, operationNames } from './routes.ts';

/** Serves every published file. */
export const filesFunctionFolder = 'api/get-docs';

const operationFolders = {
  registerWebhook: 'api/register-webhook',
  listWebhooks: 'api/list-webhooks',
  getWebhook: 'api/get-webhook',
  deleteWebhook: 'api/delete-webhook',
  rotateSecret: 'api/rotate-secret',
  listDeliveries: 'api/list-deliveries',
  listAllDeliveries: 'api/list-all-deliveries',
  getDelivery: 'api/get-delivery',
  replayDelivery: 'api/replay-delivery',
  planBulkReplay: 'api/plan-bulk-replay',
  createBulkReplay: 'api/create-bulk-replay',
  listBulkReplays: 'api/list-bulk-replays',
  getBulkReplay: 'api/get-bulk-replay',
  cancelBulkReplay: 'api/cancel-bulk-replay',
  listRuns: 'api/list-runs',
  getRun: 'api/get-run',
  listRunItems: 'api/list-run-items',
  getTracker: 'api/get-tracker',
  listChangeReports: 'api/list-change-reports',
  listCreatorVideos: 'api/list-creator-videos',
  getCredential: 'api/get-credential',
  getProblemPage: filesFunctionFolder,
} as const satisfies Readonly<Record<OperationName, string>>;

const eventFolders = [
  'queue/intake',
  'queue/deliver',
  'queue/deliver-slow',
  'queue/replay',
  'schedule/sweep',
  'schedule/audit',
] as const;

/** Creates portal links for the operator's own backend. */
export const portalLinkFunctionFolder = 'operator/create-portal-link';

/** Serves every path and method without a route. */
export const fallbackFunctionFolder = 'api/not-found';

/** Folder of a handler below `functions/`. */
export type FunctionFolder =
  | (typeof operationFolders)[OperationName]
  | typeof fallbackFunctionFolder
  | typeof portalLinkFunctionFolder
  | (typeof eventFolders)[number];

/** `registerWebhook` → `api/register-webhook`. */
export function operationFolder(operation: OperationName): FunctionFolder {
  return operationFolders[operation];
}

/**
 * Every Lambda function, by the folder of its handler below `functions/`. `lib/` deploys one function per folder, and
 * the build makes one bundle per folder (`dist/functions/<folder>/index.mjs`).
 */
export const functionFolders: readonly FunctionFolder[] = [
  ...new Set(operationNames.map(operationFolder)),
  fallbackFunctionFolder,
  portalLinkFunctionFolder,
  ...eventFolders,
];

/** Receives the deliveries of smoke tests. It belongs to no stage: it has a stack and a table of its own. */
export const smokeFunctionFolder = 'smoke/receive';

export type BundledFolder = FunctionFolder | typeof smokeFunctionFolder;

/** Every folder of which the build makes a bundle. */
export const bundledFolders: readonly BundledFolder[] = [...functionFolders, smokeFunctionFolder];
