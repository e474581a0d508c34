import { numberText } from './setting-texts.ts';

export type Concurrency = {
  /** Maximum number of delivery functions that run at once, with ten deliveries each. Default 400. */
  readonly deliveryConcurrency: number;
  /**
   * Maximum number of functions for slow endpoints that run at once, with 20 deliveries each. Default 100: with the
   * other defaults, it leaves 400 of an account's 1,000 concurrent functions to the API.
   */
  readonly slowDeliveryConcurrency: number;
  /**
   * Seconds for which a function waits for more messages of the intake or the delivery queue before it begins. Default
   * 0: no event is delayed. More costs less at small rates; docs/scaling.md has the figures.
   */
  readonly batchWindow: number;
};

/** The range that Lambda accepts for a queue. */
const concurrency = numberText.refine((count) => count >= 2 && count <= 1000);

export const concurrencySettings = {
  deliveryConcurrency: concurrency.default(400),
  slowDeliveryConcurrency: concurrency.default(100),
  batchWindow: numberText
    .refine((seconds) => Number.isInteger(seconds) && seconds >= 0 && seconds <= 10)
    .default(0),
};

export const expectedConcurrency: Readonly<Record<keyof Concurrency, string>> = {
  deliveryConcurrency: 'a whole number from 2 to 1000',
  slowDeliveryConcurrency: 'a whole number from 2 to 1000',
  batchWindow: 'a whole number of seconds from 0 to 10',
};

export function concurrencyOf(given: Concurrency): Concurrency {
  const { deliveryConcurrency, slowDeliveryConcurrency, batchWindow } = given;
  return { deliveryConcurrency, slowDeliveryConcurrency, batchWindow };
}
