import { type CustomerOperation, isPublic, type OperationName, operationNames } from './routes.ts';

/** Serves every published file. */
export const filesFunctionFolder = 'api/get-docs';

const eventFolders = [
  'queue/intake',
  'queue/deliver',
  'queue/deliver-slow',
  'queue/replay',
  'schedule/sweep',
  'schedule/audit',
] as const;

/** What the operator's own programs can do, each by a function that they invoke with their AWS credentials. */
export const operatorOperations = [
  'createCustomer',
  'listCustomers',
  'createApiKey',
  'listApiKeys',
  'revokeApiKey',
  'createPortalLink',
] as const;

export type OperatorOperation = (typeof operatorOperations)[number];

/** Serves every path and method without a route. */
export const fallbackFunctionFolder = 'api/not-found';

/** `registerWebhook` → `register-webhook`. */
type KebabCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${KebabCase<Rest>}`
  : '';

/** Folder of a handler below `functions/`. */
export type FunctionFolder =
  | `api/${KebabCase<CustomerOperation>}`
  | typeof filesFunctionFolder
  | typeof fallbackFunctionFolder
  | `operator/${KebabCase<OperatorOperation>}`
  | (typeof eventFolders)[number];

/** `registerWebhook` → `api/register-webhook`. */
export function operationFolder(operation: OperationName): FunctionFolder {
  return isPublic(operation) ? filesFunctionFolder : `api/${kebabCase(operation)}`;
}

/** `createCustomer` → `operator/create-customer`. */
export function operatorFolder(operation: OperatorOperation): FunctionFolder {
  return `operator/${kebabCase(operation)}`;
}

function kebabCase<Name extends string>(name: Name): KebabCase<Name>;
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Every Lambda function, by the folder of its handler below `functions/`. `lib/` deploys one function per folder, and
 * the build makes one bundle per folder (`dist/functions/<folder>/index.mjs`).
 */
export const functionFolders: readonly FunctionFolder[] = [
  ...new Set(operationNames.map(operationFolder)),
  fallbackFunctionFolder,
  ...operatorOperations.map(operatorFolder),
  ...eventFolders,
];

/** Receives the deliveries of smoke tests. It belongs to no stage: it has a stack and a table of its own. */
export const smokeFunctionFolder = 'smoke/receive';

export type BundledFolder = FunctionFolder | typeof smokeFunctionFolder;

/** Every folder of which the build makes a bundle. */
export const bundledFolders: readonly BundledFolder[] = [...functionFolders, smokeFunctionFolder];
