import type { environmentNames } from '#shared/contract/environment.ts';
import type { Grant } from './grants.ts';

export type EnvironmentKey = keyof typeof environmentNames;

export type FunctionSettings = {
  /** Megabytes. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  /** Which lines Lambda itself logs: those of every invocation (the default), or of failed ones. */
  readonly systemLog?: 'failures';
  /**
   * Whether the function sends messages to the queue that invokes it. Lambda otherwise drops the messages of a chain that
   * has invoked a function about 16 times.
   */
  readonly invokesItself?: true;
  /** Whether the function connects to hosts of customers, and so belongs into the network with fixed addresses. */
  readonly postsToEndpoints?: true;
  /** Values that the function receives as environment variables, beside the stage. */
  readonly environment: readonly EnvironmentKey[];
  /** Values that the function receives when the deployment sets them. */
  readonly optionalEnvironment?: readonly EnvironmentKey[];
  /** Permissions beyond writing its own log and consuming the queue that triggers it. */
  readonly grants: readonly Grant[];
};

/**
 * Sized for latency: each request is a few small reads and writes, so half of its time is CPU, which Lambda gives in
 * proportion to memory. With 256 MB, a request takes 10 ms longer and costs 1 % less, API Gateway included
 * (docs/scaling.md, "Memory").
 */
export const request = { memory: 512, timeout: 15 } as const;

/** Seconds to process a batch; a single POST can take ten. */
export const queueFunctionTimeout = 30;
