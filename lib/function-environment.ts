import { environmentNames } from '#shared/contract/environment.ts';
import { type FunctionFolder, operationFolder } from '#shared/contract/functions.ts';
import { operationNames, routes } from '#shared/contract/routes.ts';
import { type EnvironmentKey, functions } from './functions.ts';

/** Settings that every authenticating function receives when access tokens are configured. */
const tokenSettings = ['tokenIssuer', 'tokenAudience', 'tokenJwksUrl'] as const;
const authenticating: ReadonlySet<FunctionFolder> = new Set(
  operationNames.filter((operation) => routes[operation].access === 'customer').map(operationFolder),
);

/**
 * The environment of one function.
 *
 * @param values values that the stack can provide; may include more than the function needs
 * @throws when the function needs a value that the stack does not have
 */
export function environmentOf(
  folder: FunctionFolder,
  values: Partial<Readonly<Record<EnvironmentKey, string>>>,
): Record<string, string> {
  const { environment: required, optionalEnvironment = [] } = functions[folder];
  const missing = required.find((key) => values[key] === undefined);
  if (missing !== undefined) {
    throw new Error(`Cannot deploy ${folder}: its stack has no value for ${missing}`);
  }
  const given = [...required, ...optionalEnvironment, ...(authenticating.has(folder) ? tokenSettings : [])];
  const entries = given.flatMap((key) => {
    const value = values[key];
    return value === undefined ? [] : [[environmentNames[key], value]];
  });
  return Object.fromEntries(entries);
}
