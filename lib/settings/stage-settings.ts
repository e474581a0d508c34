import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ConfigError, faultsOfName, otherNameOf, parseSettings } from './config.ts';
import { type Settings, settings } from './settings.ts';

type Source = Readonly<Record<string, unknown>>;

export type SettingSources = {
  /** The whole CDK context: CDK feature flags, `cdk.json`, and the command line (`-c key=value`). */
  readonly context: Source;
  /** The part of the context in `cdk.json`, which all stages share. */
  readonly shared: Source;
  /** Folder with a settings file for each stage that needs one. */
  readonly folder: string;
};

/** CDK keys that look like settings. All other CDK keys contain a colon or a slash. */
const cdkKeys: ReadonlySet<string> = new Set([
  'cli-telemetry',
  'cdk-telemetry',
  'acknowledged-issue-numbers',
  'tree-metadata',
]);

/**
 * Reads a stage's settings from the command line, the stage's file and `cdk.json`, in this order of precedence. An
 * unknown key is an error: a mistyped `stage` would deploy another stage, and a mistyped `alarmEmail` would leave the
 * alarms without a receiver.
 *
 * @throws ConfigError that names every fault, its place and the expected value
 */
export function readSettings({ context, shared, folder }: SettingSources): Settings {
  refuse(
    Object.keys(context)
      .filter(isSettingKey)
      .flatMap((key) => faultsOfName(key)),
  );
  const stage = settings.shape.stage.safeParse(context.stage);
  if (!stage.success) return parseSettings((key) => context[key]);
  const file = stageFile(folder, stage.data);
  refuse(Object.keys(file.settings).flatMap((key) => faultOfFileKey(key, file.name, shared)));
  return parseSettings(
    (key) => (nameIn(context, key) === undefined ? file.settings[key] : context[key]),
    (key) => (context[key] === undefined ? `${key} in ${file.name}` : key),
  );
}

/** The name that a source uses for a setting: the key itself, or its former or newer name. */
function nameIn(source: Source, key: string): string | undefined {
  return [key, otherNameOf(key) ?? key].find((name) => source[name] !== undefined);
}

function isSettingKey(key: string): boolean {
  return !/[:/]/.test(key) && !cdkKeys.has(key);
}

function stageFile(folder: string, stage: string): { readonly name: string; readonly settings: Source } {
  const name = `stages/${stage}.json`;
  const path = join(folder, `${stage}.json`);
  if (!existsSync(path)) return { name, settings: {} };
  const parsed = z.record(z.string(), z.unknown()).safeParse(parseJson(readFileSync(path, 'utf8'), name));
  if (!parsed.success) refuse([`${name} is not a JSON object such as {"alarmEmail": "ops@example.com"}`]);
  return { name, settings: parsed.data ?? {} };
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`${name} is not JSON (${String(cause)})`, { cause });
  }
}

function faultOfFileKey(key: string, file: string, shared: Source): readonly string[] {
  if (key === 'stage') return [`stage in ${file} is not needed: the file name already names the stage`];
  const name = nameIn(shared, key);
  if (name === key) return [`${key} is in cdk.json and in ${file}; keep it in one of them`];
  if (name !== undefined) return [`${name} in cdk.json and ${key} in ${file} are one setting; keep one of them`];
  return faultsOfName(key, { place: `${key} in ${file}` });
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
}
