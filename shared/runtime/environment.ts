import { environmentNames } from '../contract/environment.ts';

/** Reads one setting that `lib/` gives a function; without it the function does not start. */
export function setting(name: keyof typeof environmentNames): string {
  const variable = environmentNames[name];
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`Cannot start: ${variable} is not set`);
  return value;
}
