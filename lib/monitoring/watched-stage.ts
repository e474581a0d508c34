import type { Duration } from 'aws-cdk-lib';
import type { Notices } from '../constructs/notices.ts';
import type { ServiceFunction } from '../constructs/service-function.ts';
import type { ApiStack } from '../stacks/api-stack.ts';
import type { DataStack } from '../stacks/data-stack.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** A function and the time between two runs of it. */
export type Recurring = { readonly run: ServiceFunction; readonly every: Duration };

/** What alarms watch, and what the dashboard shows. */
export type WatchedStage = {
  readonly metrics: ServiceMetrics;
  readonly data: DataStack;
  readonly api: ApiStack;
  /** The functions that take messages from the queues, keyed by their name in an expression and in a legend. */
  readonly consumers: Readonly<Record<'intake' | 'deliver' | 'deliverSlow' | 'replay', ServiceFunction>>;
  /** `undefined` unless the stage sends notices. */
  readonly notices: Notices | undefined;
  readonly sweep: Recurring;
  readonly audit: Recurring;
};

/** The functions that run without a request to the API, by their name in a legend. */
export function functionsOutsideApi({ consumers, sweep, audit }: WatchedStage) {
  return { ...consumers, sweep: sweep.run, audit: audit.run };
}
