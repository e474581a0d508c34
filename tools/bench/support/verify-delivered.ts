import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from '../../local/parties/receiver/check-signature.ts';
import type { BenchContext } from '../bench.ts';
import type { Received } from './endpoint-server.ts';
import type { PlayedEvent } from './load.ts';

/** What was compared. */
export type Verified = { readonly events: number; readonly signatures: number };

export function verifiedNote({ events, signatures }: Verified): string {
  return `Each of ${events} events arrived once; all ${signatures} sampled signatures are valid.`;
}

type Event = Pick<PlayedEvent, 'runId' | 'customer'>;

/** A message whose function died is received again after the visibility timeout of its queue: three minutes. */
const lateMs = 240_000;
const lookEveryMs = 2_000;

/**
 * Waits for events that are late, and checks that each arrived once.
 *
 * @param secrets signing secret of each customer's endpoint
 * @throws Error that counts the faults
 */
export async function verifyDelivered(
  { say, signal }: Pick<BenchContext, 'say' | 'signal'>,
  receive: () => Promise<Received>,
  events: readonly Event[],
  secrets: ReadonlyMap<string, string>,
): Promise<Verified> {
  const giveUpAt = performance.now() + lateMs;
  for (let isFirst = true; ; isFirst = false) {
    const received = await receive();
    const arrived = new Set(received.arrivals.map(({ runId }) => runId));
    const late = events.filter(({ runId }) => !arrived.has(runId)).length;
    if (late === 0 || performance.now() > giveUpAt) return assertDeliveredOnce(events, received, secrets);
    if (isFirst) say(`Waiting for ${late} late events`);
    await sleep(lookEveryMs, undefined, { signal });
  }
}

/**
 * Checks that a measurement describes a service that works: each event arrived once, at the endpoint of its customer, and the
 * sampled signatures are valid.
 *
 * @throws Error that counts the faults
 */
export function assertDeliveredOnce(
  events: readonly Event[],
  { arrivals, samples }: Received,
  secrets: ReadonlyMap<string, string>,
): Verified {
  const arrived = Map.groupBy(arrivals, keyOf);
  const timesOf = (event: Event) => arrived.get(keyOf(event))?.length ?? 0;
  const missing = events.filter((event) => timesOf(event) === 0).length;
  const repeated = events.filter((event) => timesOf(event) > 1).length;
  const wrong = samples.filter(({ customer, signature, bodyBase64, arrivedAt }) => {
    const body = Buffer.from(bodyBase64, 'base64');
    return !verifySignature(signature, body, secrets.get(customer) ?? '', arrivedAt);
  }).length;
  if (missing + repeated + wrong > 0) {
    throw new Error(
      `Cannot trust the measurement: of ${events.length} events ${missing} did not arrive and ${repeated} arrived ` +
        `more than once, and ${wrong} of ${samples.length} signatures are wrong. Measure on a quiet machine; if the ` +
        'error stays, the log lines above name the fault',
    );
  }
  return { events: events.length, signatures: samples.length };
}

function keyOf({ customer, runId }: Event): string {
  return `${customer} ${runId}`;
}
