import { setTimeout as sleep } from 'node:timers/promises';
import type { CallService } from '../../local/stack/service-client.ts';
import type { RunningStack } from '../../local/stack/start.ts';
import { type Spread, spreadOf } from '../percentiles.ts';
import { queueDepth, type Sent, sendBurst, sendTrickle } from './events.ts';
import type { BenchReceiver } from './receiver.ts';
import type { Scenario } from './scenario.ts';

/** An event of the trickle that has not arrived after this time counts as late. */
export const patienceMs = 60_000;

/** An intake that needs longer for its backlog has a fault, and there is nothing to measure. */
const intakePatienceMs = 240_000;
const lookEveryMs = 500;

export type Measured = {
  readonly alone: Spread;
  readonly beside: Spread;
  /** Deliveries to the slow endpoint that waited or were in flight when the trickle beside them began and ended. */
  readonly backlog: { readonly atStart: number; readonly atEnd: number };
  /** Most simultaneous POSTs to the slow endpoint. */
  readonly slowAtOnce: number;
};

/** What the phases of a measurement act on. */
export type World = {
  readonly stack: RunningStack;
  readonly receiver: BenchReceiver;
  readonly callSqs: CallService;
  readonly quickCustomers: readonly string[];
  readonly slowCustomer: string;
  readonly say: (line: string) => void;
};

/** The trickle twice on one stack: alone, then beside the slow endpoint. */
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

/** Waits until all events have arrived, at most for `patienceMs`. */
async function arrived({ arrivals }: BenchReceiver, sent: readonly Sent[]): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt && sent.some(({ runId }) => !arrivals.has(runId))) {
    await sleep(lookEveryMs);
  }
}

/** Every event has the same time limit, however long it happened to be watched. */
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
