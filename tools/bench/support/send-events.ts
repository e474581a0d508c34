import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#shared/domain/ids.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { exampleMessage } from '../../operator/emit/example-messages.ts';
import { type Load, type PlayedEvent, sharedNow } from './load.ts';

/** The first POST of each Run. */
export class Arrivals {
  readonly #first = new Map<string, PromiseWithResolvers<number>>();

  /** @param at `sharedNow()` */
  add(runId: string, at: number): void {
    this.#of(runId).resolve(at);
  }

  /** The time of the first POST, when it has arrived; `null` when it has not in this time. */
  async wait(runId: string, timeoutMs: number): Promise<number | null> {
    const over = new AbortController();
    const timeout = sleep(timeoutMs, null, { signal: over.signal }).catch(() => null);
    const at = await Promise.race([this.#of(runId).promise, timeout]);
    over.abort();
    return at;
  }

  #of(runId: string): PromiseWithResolvers<number> {
    const first = this.#first.get(runId) ?? Promise.withResolvers<number>();
    this.#first.set(runId, first);
    return first;
  }
}

type Play = (customer: string) => Promise<PlayedEvent>;

/** Sends the events of a load to the intake queue, and waits until all have arrived. */
export async function sendEvents(load: Load, arrivals: Arrivals): Promise<readonly PlayedEvent[]> {
  const { call, close } = createServiceClient('sqs', load.sqsUrl);
  const play: Play = async (customer) => {
    const runId = makeId('run', Date.now(), randomBytes(10));
    const message = exampleMessage('run.settled', { customer, run: runId }, Date.now(), randomBytes);
    await call('SendMessage', {
      QueueUrl: load.intakeQueueUrl,
      MessageBody: JSON.stringify(message),
      MessageGroupId: customer,
    });
    const acceptedAt = sharedNow();
    return { runId, customer, acceptedAt, arrivedAt: await arrivals.wait(runId, load.timeoutMs) };
  };
  const customers = inTurn(load.customers, load.count);
  try {
    return 'perSecond' in load.pace
      ? await playOpenLoop(customers, load.pace.perSecond, play)
      : await playClosedLoop(customers, load.pace.inFlight, play);
  } finally {
    close();
  }
}

function* inTurn(customers: readonly string[], count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield customers[index % customers.length] ?? '';
}

async function playClosedLoop(
  customers: Generator<string>,
  inFlight: number,
  play: Play,
): Promise<readonly PlayedEvent[]> {
  const events: PlayedEvent[] = [];
  const work = async () => {
    for (const customer of customers) events.push(await play(customer));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return events;
}

async function playOpenLoop(
  customers: Generator<string>,
  perSecond: number,
  play: Play,
): Promise<readonly PlayedEvent[]> {
  const startedAt = sharedNow();
  const playing: Promise<PlayedEvent>[] = [];
  for (const customer of customers) {
    await sleep(Math.max(0, startedAt + (playing.length * 1_000) / perSecond - sharedNow()));
    playing.push(play(customer));
  }
  return await Promise.all(playing);
}
