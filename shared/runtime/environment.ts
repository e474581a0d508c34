import { environmentNames } from '#shared/contract/environment.ts';

type SettingName = keyof typeof environmentNames;

/** Reads one setting that `lib/` gives a function; without it the function does not start. */
export function setting(name: SettingName): string {
  const value = optionalSetting(name);
  if (value === undefined) throw new Error(`Cannot start: ${environmentNames[name]} is not set`);
  return value;
}

/** Reads one that a deployment may do without. */
export function optionalSetting(name: SettingName): string | undefined {
  return process.env[environmentNames[name]] || undefined;
}
