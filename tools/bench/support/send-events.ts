import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { makeId } from '#shared/domain/ids.ts';
import { queueBatches } from '../../../packages/producer/intake.ts';
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

/** Sends an event to each of at most ten customers in one request, and waits until all have arrived. */
type Play = (customers: readonly string[]) => Promise<readonly PlayedEvent[]>;

/** Sends the events of a load to the intake queue, and waits until all have arrived. */
export async function sendEvents(load: Load, arrivals: Arrivals): Promise<readonly PlayedEvent[]> {
  const { call, close } = createServiceClient('sqs', load.sqsUrl);
  const play: Play = async (customers) => {
    const runs = customers.map((customer) => ({
      customer,
      runId: makeId('run', Date.now(), randomBytes(10)),
    }));
    const messages = runs.map(({ customer, runId }) =>
      intakeMessage.parse(exampleMessage('run.settled', { customer, run: runId }, Date.now(), randomBytes)),
    );
    for (const Entries of queueBatches(messages)) {
      await call('SendMessageBatch', { QueueUrl: load.intakeQueueUrl, Entries });
    }
    const acceptedAt = sharedNow();
    return await Promise.all(
      runs.map(async (run) => ({
        ...run,
        acceptedAt,
        arrivedAt: await arrivals.wait(run.runId, load.timeoutMs),
      })),
    );
  };
  const requests = requestsOf(load).values();
  try {
    return 'perSecond' in load.pace
      ? await playOpenLoop(requests, load.pace.perSecond, play)
      : await playClosedLoop(requests, load.pace.inFlight, play);
  } finally {
    close();
  }
}

/** The customers of each request, in turn. */
function requestsOf({ customers, count, perRequest = 1 }: Load): readonly (readonly string[])[] {
  const inTurn = Array.from({ length: count }, (_, index) => customers[index % customers.length] ?? '');
  return chunks(inTurn, perRequest);
}

async function playClosedLoop(
  requests: ArrayIterator<readonly string[]>,
  inFlight: number,
  play: Play,
): Promise<readonly PlayedEvent[]> {
  const events: PlayedEvent[] = [];
  const work = async () => {
    for (const request of requests) events.push(...(await play(request)));
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return events;
}

async function playOpenLoop(
  requests: ArrayIterator<readonly string[]>,
  perSecond: number,
  play: Play,
): Promise<readonly PlayedEvent[]> {
  const startedAt = sharedNow();
  const playing: Promise<readonly PlayedEvent[]>[] = [];
  for (const request of requests) {
    await sleep(Math.max(0, startedAt + (playing.length * 1_000) / perSecond - sharedNow()));
    playing.push(play(request));
  }
  return (await Promise.all(playing)).flat();
}
