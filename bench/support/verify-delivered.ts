import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../bench.ts';
import { assertDeliveredOnce, type Verified } from './delivered-once.ts';
import type { PlayedEvent } from './load.ts';
import type { Parties } from './parties.ts';

/** A message whose function died is received again after the visibility timeout of its queue: three minutes. */
const lateMs = 240_000;
const lookEveryMs = 2_000;

/**
 * Waits for events that are late, and checks that each arrived once.
 *
 * @param secrets signing secret of each endpoint
 * @throws Error that counts the faults
 */
export async function verifyDelivered(
  { say, signal }: Pick<BenchContext, 'say' | 'signal'>,
  parties: Parties,
  events: readonly PlayedEvent[],
  secrets: ReadonlyMap<string, string>,
): Promise<Verified> {
  const giveUpAt = performance.now() + lateMs;
  for (let isFirst = true; ; isFirst = false) {
    const received = await parties.received();
    const arrived = new Set(received.arrivals.map(({ runId }) => runId));
    const late = events.filter(({ runId }) => !arrived.has(runId)).length;
    if (late === 0 || performance.now() > giveUpAt) return assertDeliveredOnce(events, received, secrets);
    if (isFirst) say(`Waiting for ${late} late events`);
    await sleep(lookEveryMs, undefined, { signal });
  }
}
