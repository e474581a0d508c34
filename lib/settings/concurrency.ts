import { numberText } from './setting-texts.ts';

export type Concurrency = {
  /** Maximum number of intake functions that run at once, with ten messages each. */
  readonly intakeConcurrency: number;
  /** Maximum number of delivery functions that run at once, with ten deliveries each. */
  readonly deliveryConcurrency: number;
  /** Maximum number of functions for slow endpoints that run at once, with 20 deliveries each. */
  readonly slowDeliveryConcurrency: number;
  /** Maximum number of functions for bulk replays that run at once, with one step each. */
  readonly replayConcurrency: number;
  /**
   * Seconds for which a function waits for more messages of the intake or the delivery queue before it begins. Default
   * 0: no event is delayed. More costs less at small rates; docs/scaling.md has the figures.
   */
  readonly batchWindow: number;
};

type Given = Pick<Concurrency, 'batchWindow'> & {
  /** Concurrent Lambda executions that the stage may use. Default: the quota of an account that is not new. */
  readonly concurrentExecutions?: number | undefined;
  readonly deliveryConcurrency?: number | undefined;
  readonly slowDeliveryConcurrency?: number | undefined;
};

const defaultExecutions = 1_000;

/** The range that Lambda accepts for a queue. */
const range = { min: 2, max: 1_000 } as const;

/** What the queue functions must leave to the API, the sweep and the audit. */
const leftToApi = 2;

const executions = { min: 4 * range.min + leftToApi, max: 1_000_000 } as const;

const wholeNumber = ({ min, max }: { readonly min: number; readonly max: number }) =>
  numberText.refine((count) => Number.isInteger(count) && count >= min && count <= max);

export const concurrencySettings = {
  concurrentExecutions: wholeNumber(executions).optional(),
  deliveryConcurrency: wholeNumber(range).optional(),
  slowDeliveryConcurrency: wholeNumber(range).optional(),
  batchWindow: wholeNumber({ min: 0, max: 10 }).default(0),
};

export const expectedConcurrency: Readonly<Record<keyof typeof concurrencySettings, string>> = {
  concurrentExecutions: `a whole number from ${executions.min} to ${executions.max}`,
  deliveryConcurrency: `a whole number from ${range.min} to ${range.max}`,
  slowDeliveryConcurrency: `a whole number from ${range.min} to ${range.max}`,
  batchWindow: 'a whole number of seconds from 0 to 10',
};

export function concurrencyOf(given: Given): Concurrency {
  const { concurrentExecutions = defaultExecutions, deliveryConcurrency, slowDeliveryConcurrency } = given;
  const shares = sharesOf(concurrentExecutions);
  return {
    ...shares,
    deliveryConcurrency: deliveryConcurrency ?? shares.deliveryConcurrency,
    slowDeliveryConcurrency: slowDeliveryConcurrency ?? shares.slowDeliveryConcurrency,
    batchWindow: given.batchWindow,
  };
}

/**
 * Says how the queue functions take more than `concurrentExecutions` can give; `undefined` when they do not. Without
 * the setting, nothing is known about the account, whose quota may be far above the default.
 */
export function overcommitment(given: Given): string | undefined {
  const { concurrentExecutions } = given;
  if (concurrentExecutions === undefined) return undefined;
  const { intakeConcurrency, deliveryConcurrency, slowDeliveryConcurrency, replayConcurrency } =
    concurrencyOf(given);
  const taken = intakeConcurrency + deliveryConcurrency + slowDeliveryConcurrency + replayConcurrency;
  const tooMany = taken + leftToApi - concurrentExecutions;
  if (tooMany <= 0) return undefined;
  return (
    `deliveryConcurrency is ${deliveryConcurrency} and slowDeliveryConcurrency is ${slowDeliveryConcurrency}. With ` +
    `${intakeConcurrency} for the intake and ${replayConcurrency} for bulk replays, these are ${taken} of ` +
    `${concurrentExecutions} concurrentExecutions, and the API needs at least ${leftToApi}. Lower them by ${tooMany} ` +
    'together, or raise concurrentExecutions'
  );
}

/** The queues take 61 %, and the API, the sweep and the audit the rest. Delivery has what the other queues leave. */
function sharesOf(limit: number): Omit<Concurrency, 'batchWindow'> {
  const intakeConcurrency = withinRange(limit / 10);
  const slowDeliveryConcurrency = withinRange(limit / 10);
  const replayConcurrency = withinRange(limit / 100);
  const others = intakeConcurrency + slowDeliveryConcurrency + replayConcurrency;
  const deliveryConcurrency = withinRange((limit * 61) / 100 - others);
  return { intakeConcurrency, deliveryConcurrency, slowDeliveryConcurrency, replayConcurrency };
}

function withinRange(share: number): number {
  return Math.min(range.max, Math.max(range.min, Math.floor(share)));
}
