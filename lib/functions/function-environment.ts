import { environmentNames } from '#shared/contract/environment.ts';
import {
  type FunctionFolder,
  fallbackFunctionFolder,
  filesFunctionFolder,
  operationFolder,
} from '#shared/contract/functions.ts';
import { isPublic, operationNames } from '#shared/contract/routes.ts';
import type { Config } from '../settings/config.ts';
import type { EnvironmentKey } from './function-settings.ts';
import { functions } from './functions.ts';

/** Values that a stack can provide. */
export type EnvironmentValues = { readonly [Key in EnvironmentKey]?: string | undefined };

/** Settings that every authenticating function receives when access tokens are configured. */
const tokenSettings = ['tokenIssuer', 'tokenAudience', 'tokenJwksUrl'] as const;
const authenticating: ReadonlySet<FunctionFolder> = new Set(
  operationNames.filter((operation) => !isPublic(operation)).map(operationFolder),
);
/** Functions that serve files and problems to anyone; they log and count nothing. */
const silent: ReadonlySet<FunctionFolder> = new Set([filesFunctionFolder, fallbackFunctionFolder]);

/** The settings without which a function does not start: its own, and the stage that its metrics carry. */
export function requiredSettings(folder: FunctionFolder): readonly EnvironmentKey[] {
  const { environment } = functions[folder];
  return silent.has(folder) ? environment : [...environment, 'stage'];
}

/** The settings of a stage as functions receive them: each that has the name of a variable, and those that differ. */
export function settingValues(config: Config): EnvironmentValues {
  const { tokens } = config;
  const sameNamed = Object.entries(config).filter(([name]) => name in environmentNames);
  return {
    ...Object.fromEntries(sameNamed.map(([name, value]) => [name, value?.toString()])),
    noticeAfter: config.notices && String(config.noticeAfter),
    consoleFrameAncestors: config.consoleFrameAncestors.join(' ') || undefined,
    tokenIssuer: tokens?.issuer,
    tokenAudience: tokens?.audience,
    tokenJwksUrl: tokens?.jwksUrl,
  };
}

/**
 * The environment of one function.
 *
 * @param values values that the stack can provide; may include more than the function needs
 * @throws when the function needs a value that the stack does not have
 */
export function environmentOf(folder: FunctionFolder, values: EnvironmentValues): Record<string, string> {
  const required = requiredSettings(folder);
  const missing = required.find((key) => values[key] === undefined);
  if (missing !== undefined) {
    throw new Error(`Cannot deploy ${folder}: its stack has no value for ${missing}`);
  }
  const { optionalEnvironment = [] } = functions[folder];
  const given = [...required, ...optionalEnvironment, ...(authenticating.has(folder) ? tokenSettings : [])];
  const entries = given.flatMap((key) => {
    const value = values[key];
    return value === undefined ? [] : [[environmentNames[key], value]];
  });
  return Object.fromEntries(entries);
}
