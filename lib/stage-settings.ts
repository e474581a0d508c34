import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { nearest } from '#shared/contract/nearest.ts';
import { type Config, ConfigError, defaultStage, isStageName, parseConfig, settingNames } from './config.ts';

type Settings = Readonly<Record<string, unknown>>;

export type SettingSources = {
  /** The whole CDK context: flags of the CDK, `cdk.json`, and what the command line gives (`-c key=value`). */
  readonly context: Settings;
  /** The part of it that stands in `cdk.json`, for all stages. */
  readonly shared: Settings;
  /** Holds a file for each stage that has settings of its own. */
  readonly folder: string;
};

/** Keys of the CDK that look as a setting could. All others of its keys hold a colon or a slash. */
const keysOfTheCdk: ReadonlySet<string> = new Set([
  'cli-telemetry',
  'cdk-telemetry',
  'acknowledged-issue-numbers',
  'tree-metadata',
]);

/**
 * The settings of a stage: those of the command line, then those of its file, then those of `cdk.json`. What is not known
 * is refused, because the deployment would go on without it: a mistyped `stage` deploys another stage, and without
 * `alarmEmail` the alarms lose their receiver.
 *
 * @throws ConfigError that names every fault, where it is and what is wanted
 */
export function readConfig({ context, shared, folder }: SettingSources): Config {
  refuse(
    Object.keys(context)
      .filter(isOurs)
      .flatMap((key) => faultOfName(key, key)),
  );
  const stage = context.stage ?? defaultStage;
  if (!isStageName(stage)) return parseConfig((key) => context[key]);
  const file = stageFile(folder, stage);
  refuse(Object.keys(file.settings).flatMap((key) => faultOfFileKey(key, file.name, shared)));
  return parseConfig(
    (key) => context[key] ?? file.settings[key],
    (key) => (context[key] === undefined ? `${key} in ${file.name}` : key),
  );
}

function isOurs(key: string): boolean {
  return !/[:/]/.test(key) && !keysOfTheCdk.has(key);
}

function stageFile(folder: string, stage: string): { readonly name: string; readonly settings: Settings } {
  const name = `stages/${stage}.json`;
  const path = join(folder, `${stage}.json`);
  if (!existsSync(path)) return { name, settings: {} };
  const parsed = z.record(z.string(), z.unknown()).safeParse(parseJson(readFileSync(path, 'utf8'), name));
  if (!parsed.success) refuse([`${name} holds no JSON object, such as {"alarmEmail": "ops@example.com"}`]);
  return { name, settings: parsed.data ?? {} };
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`${beginning}${name} is no JSON (${String(cause)})`, { cause });
  }
}

function faultOfFileKey(key: string, file: string, shared: Settings): readonly string[] {
  if (key === 'stage') return [`stage in ${file} is not needed: the name of the file says it`];
  if (shared[key] !== undefined) return [`${key} is in cdk.json and in ${file}; keep it in one of them`];
  return faultOfName(key, `${key} in ${file}`);
}

function faultOfName(key: string, place: string): readonly string[] {
  if (settingNames.includes(key)) return [];
  const meant = nearest(key, settingNames);
  const advice = meant === undefined ? `there are ${settingNames.join(', ')}` : `did you mean ${meant}?`;
  return [`${place} is no setting; ${advice}`];
}

const beginning = 'Cannot use the deployment settings: ';

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(`${beginning}${faults.join('; ')}`);
}
