import { setTimeout as sleep } from 'node:timers/promises';
import type { CallService } from '../../local/stack/service-client.ts';
import type { RunningStack } from '../../local/stack/start.ts';
import { type Spread, spreadOf } from '../percentiles.ts';
import { queueDepth, type Sent, sendBurst, sendTrickle } from './events.ts';
import type { BenchReceiver } from './receiver.ts';
import type { Scenario } from './scenario.ts';

/** Milliseconds after which a missing event counts as late. */
export const patienceMs = 60_000;

/**
 * Time limit for the intake to work through the backlog. A slower intake has a fault, so there is nothing to measure.
 */
const intakePatienceMs = 240_000;
const lookEveryMs = 500;

export type Measured = {
  readonly alone: Spread;
  readonly beside: Spread;
  /** Deliveries to the slow endpoint that waited or were in flight at the start and the end of the second phase. */
  readonly backlog: { readonly atStart: number; readonly atEnd: number };
  /** Maximum concurrent POSTs to the slow endpoint. */
  readonly slowAtOnce: number;
};

/** The stack and the endpoints that the phases of a measurement use. */
export type World = {
  readonly stack: RunningStack;
  readonly receiver: BenchReceiver;
  readonly callSqs: CallService;
  readonly quickCustomers: readonly string[];
  readonly slowCustomer: string;
  readonly say: (line: string) => void;
};

/** Sends the same event stream twice to one stack: first alone, then beside the backlog of the slow endpoint. */
export async function measure(world: World, scenario: Scenario): Promise<Measured> {
  const { receiver, say } = world;
  say(`Quick endpoints alone, ${scenario.seconds} s`);
  await playTrickle(world, { ...scenario, seconds: 2 });
  const alone = await playTrickle(world, scenario);

  say(`${scenario.waiting} events for the slow endpoint go through the intake`);
  await fillUp(world, scenario.waiting);
  const atStart = await backlog(world);
  say(`${atStart} deliveries wait; quick endpoints beside them, ${scenario.seconds} s`);
  const beside = await playTrickle(world, scenario);
  return {
    alone,
    beside,
    backlog: { atStart, atEnd: await backlog(world) },
    slowAtOnce: receiver.slow().most,
  };
}

async function playTrickle(world: World, { rate, seconds }: Scenario): Promise<Spread> {
  const { callSqs, stack, receiver, quickCustomers } = world;
  const load = { customers: quickCustomers, rate, seconds };
  const sent = await sendTrickle(callSqs, stack.info.intake_queue_url, load);
  await arrived(receiver, sent);
  return spreadOf(sent.map((event) => latencyOf(event, receiver)));
}

/** Waits until all events have arrived, for at most `patienceMs`. */
async function arrived({ arrivals }: BenchReceiver, sent: readonly Sent[]): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt && sent.some(({ runId }) => !arrivals.has(runId))) {
    await sleep(lookEveryMs);
  }
}

/** Applies the same time limit to every event, no matter how long it was observed. */
function latencyOf({ runId, at }: Sent, { arrivals }: BenchReceiver): number {
  const ms = (arrivals.get(runId) ?? Number.POSITIVE_INFINITY) - at;
  return ms <= patienceMs ? ms : Number.POSITIVE_INFINITY;
}

async function fillUp(world: World, count: number): Promise<void> {
  await sendBurst(world.callSqs, world.stack.info.intake_queue_url, world.slowCustomer, count);
  await intakeEmpty(world);
}

async function intakeEmpty({ callSqs, stack }: World): Promise<void> {
  const giveUpAt = performance.now() + intakePatienceMs;
  for (;;) {
    const { waiting, inFlight } = await queueDepth(callSqs, stack.info.intake_queue_url);
    if (waiting + inFlight === 0) return;
    if (performance.now() > giveUpAt) {
      throw new Error(
        `Cannot measure: ${waiting} messages still wait on the intake; use a smaller --waiting`,
      );
    }
    await sleep(lookEveryMs);
  }
}

async function backlog({ callSqs, stack }: World): Promise<number> {
  const { waiting, inFlight } = await queueDepth(callSqs, stack.info.delivery_queue_url);
  return waiting + inFlight;
}
