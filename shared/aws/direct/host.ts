import type { Backoff } from '#shared/aws/table/backoff.ts';
import type { Clock } from '#shared/operations/ports.ts';

/** What the clients need of the process that they run in. */
export type Host = {
  /** The variables that Lambda sets: credentials, Region, and endpoints that replace those of AWS. */
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  readonly now: Clock;
  /** The pauses before retries. */
  readonly backoff: Backoff;
};

/** @throws Error without the variable, which Lambda always sets */
export function variable(host: Host, name: string): string {
  const value = host.environment()[name];
  if (value === undefined || value === '') throw new Error(`Cannot call AWS: ${name} is not set`);
  return value;
}
