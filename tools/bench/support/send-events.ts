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
      exampleMessage('run.settled', { customer, run: runId }, Date.now(), randomBytes),
    );
    await call('SendMessageBatch', {
      QueueUrl: load.intakeQueueUrl,
      Entries: messages.map((message, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(message),
        MessageGroupId: message.customer_id,
      })),
    });
    const acceptedAt = sharedNow();
    return await Promise.all(
      runs.map(async (run) => ({
        ...run,
        acceptedAt,
        arrivedAt: await arrivals.wait(run.runId, load.timeoutMs),
      })),
    );
  };
  const requests = inTurn(load);
  try {
    return 'perSecond' in load.pace
      ? await playOpenLoop(requests, load.pace.perSecond, play)
      : await playClosedLoop(requests, load.pace.inFlight, play);
  } finally {
    close();
  }
}

/** The customers of each request. */
function* inTurn({ customers, count, perRequest = 1 }: Load): Generator<readonly string[]> {
  for (let index = 0; index < count; index += perRequest) {
    const size = Math.min(perRequest, count - index);
    yield Array.from({ length: size }, (_, offset) => customers[(index + offset) % customers.length] ?? '');
  }
}

async function playClosedLoop(
  requests: Generator<readonly string[]>,
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
  requests: Generator<readonly string[]>,
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
