import { setTimeout as sleep } from 'node:timers/promises';
import type { CallService } from '../../local/stack/service-client.ts';
import { type Spread, spreadOf } from '../percentiles.ts';
import { queueDepth, type Sent, sendBurst, sendTrickle } from './events.ts';
import { countQuietFirst } from './probe.ts';
import type { BenchReceiver } from './receiver.ts';
import type { Scenario } from './scenario.ts';
import type { BenchStack } from './stack-process.ts';

/** How long each event of the trickle is watched for before it counts as not delivered in time. */
export const patienceMs = 60_000;

/** An intake that does not get through its backlog in that time has a fault; nothing then is worth measuring. */
const intakePatienceMs = 240_000;
const lookEveryMs = 500;

export type Measured = {
  readonly alone: Spread;
  readonly plain: Spread;
  readonly fair: Spread;
  /** Of ten messages received, those of a quiet group, before and after the emulator was taught the fair order. */
  readonly quietFirst: { readonly plain: number; readonly fair: number };
  /** Deliveries of the slow endpoint that waited or were in flight as the trickle beside it began and ended. */
  readonly backlog: { readonly plain: number; readonly fair: number; readonly atEnd: number };
  /** Most POSTs of the slow endpoint side by side. */
  readonly slowAtOnce: number;
};

/** Everything that the phases of a measurement act on. */
export type World = {
  readonly stack: BenchStack;
  readonly receiver: BenchReceiver;
  readonly callSqs: CallService;
  readonly quickCustomers: readonly string[];
  readonly slowCustomer: string;
  readonly say: (line: string) => void;
};

/** The trickle three times on one stack: alone, beside the slow endpoint, and so with a fair queue. */
export async function measure(world: World, scenario: Scenario): Promise<Measured> {
  const { stack, receiver, callSqs, say } = world;
  say(`Quick endpoints alone, ${scenario.seconds} s`);
  await playTrickle(world, { ...scenario, seconds: 2 });
  const alone = await playTrickle(world, scenario);

  say(`${scenario.waiting} events for the slow endpoint go through the intake`);
  await fillUp(world, scenario.waiting);
  const before = { quiet: await countQuietFirst(callSqs, 'probe-plain'), backlog: await backlog(world) };
  say(`${before.backlog} deliveries wait; quick endpoints beside them, ${scenario.seconds} s`);
  const plain = await playTrickle(world, scenario);

  await stack.chooseOrder('fair');
  await arrived(receiver, plain.sent);
  const after = { quiet: await countQuietFirst(callSqs, 'probe-fair'), backlog: await backlog(world) };
  say(`${after.backlog} deliveries wait; the same with a fair queue, ${scenario.seconds} s`);
  const fair = await playTrickle(world, scenario);
  return {
    alone: alone.spread,
    plain: plain.spread,
    fair: fair.spread,
    quietFirst: { plain: before.quiet, fair: after.quiet },
    backlog: { plain: before.backlog, fair: after.backlog, atEnd: await backlog(world) },
    slowAtOnce: receiver.slow().most,
  };
}

type Trickle = { readonly sent: readonly Sent[]; readonly spread: Spread };

async function playTrickle(world: World, { rate, seconds }: Scenario): Promise<Trickle> {
  const { callSqs, stack, receiver, quickCustomers } = world;
  const load = { customers: quickCustomers, rate, seconds };
  const sent = await sendTrickle(callSqs, stack.info.intake_queue_url, load);
  await arrived(receiver, sent);
  return { sent, spread: spreadOf(sent.map((event) => latencyOf(event, receiver))) };
}

/** Waits until all of them are there, or for as long as patience lasts. */
async function arrived({ arrivals }: BenchReceiver, sent: readonly Sent[]): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt && sent.some(({ runId }) => !arrivals.has(runId))) {
    await sleep(lookEveryMs);
  }
}

/** Every event is given the same time, however long it happened to be watched. */
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
      throw new Error(`Cannot go on: ${waiting} messages still wait on the intake; try a smaller --waiting`);
    }
    await sleep(lookEveryMs);
  }
}

async function backlog({ callSqs, stack }: World): Promise<number> {
  const { waiting, inFlight } = await queueDepth(callSqs, stack.info.delivery_queue_url);
  return waiting + inFlight;
}
