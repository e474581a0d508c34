import { type OperationName, operationNames } from './routes.ts';

const queueFunctions = ['intake', 'deliver'] as const;
const scheduleFunctions = ['sweep', 'audit'] as const;

/** Serves every path and method without a route. */
export const fallbackFunctionFolder = 'api/not-found';

/** `registerWebhook` → `api/register-webhook`. */
export function operationFolder(operation: OperationName): string {
  return `api/${operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Every Lambda function, by the folder of its handler below `functions/`. `lib/` deploys one function per folder, and
 * the build makes one bundle per folder (`dist/functions/<folder>/index.mjs`).
 */
export const functionFolders: readonly string[] = [
  ...operationNames.map(operationFolder),
  fallbackFunctionFolder,
  ...queueFunctions.map((name) => `queue/${name}`),
  ...scheduleFunctions.map((name) => `schedule/${name}`),
];
