import { environmentNames } from '#shared/contract/environment.ts';
import { operationFolder } from '#shared/contract/functions.ts';
import { operationNames, routes } from '#shared/contract/routes.ts';

export type EnvironmentKey = keyof typeof environmentNames;

/** What one function is given. Its permissions are in grants.ts. */
export type FunctionSettings = {
  /** Megabytes. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  readonly environment: readonly EnvironmentKey[];
};

/** Milliseconds matter here, not throughput: one small read or write, then an answer. */
const request = { memory: 256, timeout: 15 } as const;

/** Seconds in which a batch of ten must be done; a POST alone may take ten. */
export const queueFunctionTimeout = 30;

export const functionSettings: Readonly<Record<string, FunctionSettings>> = {
  // Waits up to ten seconds for the handshake; API Gateway gives up after 29.
  'api/register-webhook': {
    memory: 512,
    timeout: 25,
    environment: ['tableName', 'secretsKeyArn', 'docsUrl', 'serviceName'],
  },
  'api/list-webhooks': { ...request, environment: ['tableName', 'docsUrl'] },
  'api/get-webhook': { ...request, environment: ['tableName', 'docsUrl'] },
  'api/delete-webhook': { ...request, environment: ['tableName', 'docsUrl'] },
  'api/rotate-secret': { ...request, environment: ['tableName', 'secretsKeyArn', 'docsUrl'] },
  'api/list-deliveries': { ...request, environment: ['tableName', 'docsUrl'] },
  'api/get-delivery': { ...request, environment: ['tableName', 'docsUrl'] },
  'api/replay-delivery': { ...request, environment: ['tableName', 'deliveryQueueUrl', 'docsUrl'] },
  'api/list-runs': { ...request, environment: ['tableName', 'baseUrl', 'docsUrl'] },
  'api/get-run': { ...request, environment: ['tableName', 'baseUrl', 'docsUrl'] },
  'api/list-run-items': { ...request, environment: ['tableName', 'docsUrl'] },
  'api/get-tracker': { ...request, environment: ['tableName', 'baseUrl', 'docsUrl'] },
  'api/list-change-reports': { ...request, environment: ['tableName', 'baseUrl', 'docsUrl'] },
  'api/list-creator-videos': { ...request, environment: ['tableName', 'docsUrl', 'supportedPlatforms'] },
  'api/get-problem-page': { ...request, environment: ['docsUrl'] },
  'api/not-found': { ...request, environment: ['docsUrl'] },
  // Parses and stores megabytes: the processor comes with the memory.
  'queue/intake': {
    memory: 1024,
    timeout: queueFunctionTimeout,
    environment: ['tableName', 'deliveryQueueUrl', 'intakeDeadLetterQueueUrl', 'baseUrl'],
  },
  'queue/deliver': {
    memory: 512,
    timeout: queueFunctionTimeout,
    environment: [
      'tableName',
      'deliveryQueueUrl',
      'deliveryDeadLetterQueueUrl',
      'secretsKeyArn',
      'scheduleGroup',
      'schedulerRoleArn',
      'serviceName',
    ],
  },
  'schedule/sweep': { memory: 512, timeout: 60, environment: ['tableName', 'deliveryQueueUrl'] },
  // Reads some hours' deliveries, so as long as a function may run.
  'schedule/audit': {
    memory: 512,
    timeout: 900,
    environment: ['tableName', 'intakeQueueUrl', 'deliveryQueueUrl', 'stage'],
  },
};

/** What tells which access tokens are accepted; whoever looks at a credential is given it, where there is any. */
const tokenSettings = ['tokenIssuer', 'tokenAudience', 'tokenJwksUrl'] as const;
const authenticating: ReadonlySet<string> = new Set(
  operationNames.filter((operation) => routes[operation].access === 'customer').map(operationFolder),
);

/** @throws when the function is not in the table above */
export function settingsOf(folder: string): FunctionSettings {
  const settings = functionSettings[folder];
  if (settings === undefined) throw new Error(`Cannot deploy ${folder}: it has no entry in functionSettings`);
  return settings;
}

/**
 * The environment of one function.
 *
 * @param values what the stack knows; it may know more than the function needs
 * @throws when the function needs a value that the stack does not have
 */
export function environmentOf(
  folder: string,
  values: Partial<Readonly<Record<EnvironmentKey, string>>>,
): Record<string, string> {
  const wanted = settingsOf(folder).environment;
  const missing = wanted.find((key) => values[key] === undefined);
  if (missing !== undefined) {
    throw new Error(`Cannot deploy ${folder}: its stack has no value for ${missing}`);
  }
  const given = authenticating.has(folder) ? [...wanted, ...tokenSettings] : wanted;
  const entries = given.flatMap((key) => {
    const value = values[key];
    return value === undefined ? [] : [[environmentNames[key], value]];
  });
  return Object.fromEntries(entries);
}
