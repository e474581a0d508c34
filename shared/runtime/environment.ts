import { environmentNames } from '#shared/contract/environment.ts';

type SettingName = keyof typeof environmentNames;

/** Reads a setting that `lib/` gives a function. @throws Error without it, so that the function does not start */
export function setting(name: SettingName): string {
  const value = optionalSetting(name);
  if (value === undefined) throw new Error(`Cannot start: ${environmentNames[name]} is not set`);
  return value;
}

/** Reads a setting that is `true` or `false`. @throws Error for any other value */
export function booleanSetting(name: SettingName): boolean {
  const value = setting(name);
  if (value === 'true' || value === 'false') return value === 'true';
  throw new Error(`Cannot start: ${environmentNames[name]} is "${value}", expected true or false`);
}

/** Reads a whole number above 0 that a deployment can omit; `null` without it. @throws Error for any other value */
export function countSetting(name: SettingName): number | null {
  const value = optionalSetting(name);
  if (value === undefined) return null;
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new Error(`Cannot start: ${environmentNames[name]} is "${value}", expected a whole number above 0`);
}

/** Reads a setting that a deployment can omit. */
export function optionalSetting(name: SettingName): string | undefined {
  return process.env[environmentNames[name]] || undefined;
}
