import { leftToApi, queueConcurrency, type Settings } from './settings.ts';

/** Maximum number of functions of each queue that run at once. */
export type Concurrency = {
  /** With ten messages each. */
  readonly intakeConcurrency: number;
  /** With ten deliveries each. */
  readonly deliveryConcurrency: number;
  /** With 20 deliveries each. */
  readonly slowDeliveryConcurrency: number;
  /** With one step of a bulk replay each. */
  readonly replayConcurrency: number;
};

type Given = Pick<Settings, 'concurrentExecutions' | 'deliveryConcurrency' | 'slowDeliveryConcurrency'>;

/** The quota of an account that is not new. */
const defaultExecutions = 1_000;

/** The queues take 61 %, and the API, the sweep and the audit the rest. Delivery has what the other queues leave. */
export function concurrencyOf(given: Given): Concurrency {
  const { concurrentExecutions: limit = defaultExecutions } = given;
  const intakeConcurrency = withinRange(limit / 10);
  const slowShare = withinRange(limit / 10);
  const replayConcurrency = withinRange(limit / 100);
  const deliveryShare = withinRange((limit * 61) / 100 - intakeConcurrency - slowShare - replayConcurrency);
  return {
    intakeConcurrency,
    deliveryConcurrency: given.deliveryConcurrency ?? deliveryShare,
    slowDeliveryConcurrency: given.slowDeliveryConcurrency ?? slowShare,
    replayConcurrency,
  };
}

/**
 * Says how the queue functions take more than `concurrentExecutions` can give; `undefined` when they do not. Without
 * the setting, nothing is known about the account, whose quota may be far above the default.
 */
export function overcommitment(given: Given & Pick<Settings, 'queuePollers'>): string | undefined {
  const { concurrentExecutions, queuePollers: pollers } = given;
  if (concurrentExecutions === undefined) return undefined;
  const { intakeConcurrency, deliveryConcurrency, slowDeliveryConcurrency, replayConcurrency } = concurrencyOf(given);
  const intake = mostFunctions(intakeConcurrency, pollers);
  const delivery = mostFunctions(deliveryConcurrency, pollers);
  const taken = intake + delivery + slowDeliveryConcurrency + replayConcurrency;
  const tooMany = taken + leftToApi - concurrentExecutions;
  if (tooMany <= 0) return undefined;
  const delivering =
    pollers === undefined
      ? `deliveryConcurrency is ${delivery}`
      : `queuePollers is ${pollers}, which lets ${delivery} functions deliver,`;
  return (
    `${delivering} and slowDeliveryConcurrency is ${slowDeliveryConcurrency}. With ` +
    `${intake} for the intake and ${replayConcurrency} for bulk replays, these are ${taken} of ` +
    `${concurrentExecutions} concurrentExecutions, and the API needs at least ${leftToApi}. Lower them by ${tooMany} ` +
    'together, or raise concurrentExecutions'
  );
}

/** The setting that asks for more functions than Lambda runs for a queue without pollers of its own. */
export function withoutPollers({ deliveryConcurrency = 0, queuePollers }: Settings) {
  const isTooMany = queuePollers === undefined && deliveryConcurrency > queueConcurrency.max;
  return isTooMany ? (['deliveryConcurrency'] as const) : [];
}

function withinRange(share: number): number {
  return Math.min(queueConcurrency.max, Math.max(queueConcurrency.min, Math.floor(share)));
}

/** Functions that a poller of Lambda's provisioned mode reads for at once. */
const functionsOfPoller = 10;

/** Those that are always ready, and what Lambda may add to them. */
const mostPollers = (concurrency: number, pollers: number) =>
  Math.max(pollers, Math.ceil(concurrency / functionsOfPoller));

function mostFunctions(concurrency: number, pollers: number | undefined): number {
  return pollers === undefined ? concurrency : functionsOfPoller * mostPollers(concurrency, pollers);
}

/**
 * How Lambda reads a queue for at most `concurrency` functions.
 *
 * @param pollers how many are always ready; default: Lambda's own begin when messages come
 */
export function pollersOf(concurrency: number, pollers: number | undefined) {
  if (pollers === undefined) return { maxConcurrency: concurrency };
  const maximumPollers = mostPollers(concurrency, pollers);
  return { provisionedPollerConfig: { minimumPollers: pollers, maximumPollers } };
}
