import { replayStep, toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import type { ReplaySelection, ReplayStep } from '#shared/domain/bulk-replay.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { EnqueueAttempts, MessageResult, QueuedAttempt } from '#shared/operations/ports.ts';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { askedTable } from '../../../support/table/asked-table.ts';
import type { Io } from '../../../support/table/io.ts';
import { RecordTable } from '../../../support/table/record-table.ts';
import { tablePorts } from '../../../support/table/table-ports.ts';
import { buildBulkReplay, buildDelivery, buildEndpoint, hour, startOfTest } from '../../../support/values/builders.ts';

/** The worker ended: nothing after this point happens. */
export class Crash extends Error {}

const visibilityTimeout = 180_000;

type Message = { readonly step: ReplayStep; visibleAt: number };

export type WorldOptions = {
  readonly failed: number;
  readonly rate?: number;
  readonly endpoint?: Partial<Endpoint>;
  /** What the job takes besides all that failed. */
  readonly selection?: Partial<ReplaySelection>;
  /** Milliseconds that the function has left, at each question. */
  readonly timeLeft?: () => number;
};

const ended = { status: 'failed', attempts: 3, endedAt: startOfTest } as const;
const allFailed = Array.from({ length: 12_000 }, (_, index) => buildDelivery(ended, index + 1));

/** Deliveries that failed an hour before the test, in the order of their ids. */
export function failedDeliveries(count: number): readonly Delivery[] {
  return allFailed.slice(0, count);
}

/**
 * A bulk replay on a table in this process and a queue with a visibility timeout. `strike` is called before and after the
 * effect of each request and can end the worker.
 */
export function replayWorld(options: WorldOptions) {
  const { failed, rate = 10, endpoint = {}, timeLeft = () => 30_000 } = options;
  const clock = { now: startOfTest + hour };
  const faults = { strike: (_moment: 'before' | 'after', _name: string): void => {} };
  const io: Io = async ({ name }, effect) => {
    faults.strike('before', name);
    const result = effect(0);
    faults.strike('after', name);
    return result;
  };
  const table = new RecordTable(() => clock.now);
  const ports = tablePorts(askedTable(table, { io }));
  for (const delivery of failedDeliveries(failed)) table.putDelivery(delivery, null);
  table.putLiveEndpoint(buildEndpoint(endpoint));
  const messages = new Set<Message>();
  const queued: (QueuedAttempt & { readonly at: number; readonly lane: string })[] = [];
  const events: TelemetryEvent[] = [];
  const enqueueAttempts: EnqueueAttempts = (due, lane) =>
    io({ service: 'queue', name: 'enqueue' }, () => {
      queued.push(...due.map((each) => ({ ...each, lane, at: clock.now + (each.delaySeconds ?? 0) * 1000 })));
      return [];
    });
  const deps = {
    ...ports,
    now: () => clock.now,
    report: (event: TelemetryEvent) => void events.push(event),
    enqueueAttempts,
    sendReplayStep: (step: ReplayStep, delaySeconds: number) =>
      io({ service: 'queue', name: 'send step' }, () => {
        const sent = replayStep.parse(JSON.parse(JSON.stringify(toReplayMessage(step))));
        messages.add({ step: sent, visibleAt: clock.now + delaySeconds * 1000 });
      }),
  };
  const everything = { status: 'failed', createdAfter: 0, createdBefore: clock.now } as const;
  const selection = { ...everything, ...options.selection };
  const requestedBy = { by: 'operator', note: null } as const;
  const webhookId = endpoint.id ?? buildEndpoint().id;
  const job = buildBulkReplay({ webhookId, selection, rate, requestedBy }, clock.now);
  const run = runReplayStep(deps);

  /** Receives the next message, and deletes it unless the worker crashed or asks for it again. */
  const receive = async (): Promise<MessageResult | 'crashed' | null> => {
    const message = [...messages].sort((one, other) => one.visibleAt - other.visibleAt)[0];
    if (message === undefined) return null;
    clock.now = Math.max(clock.now, message.visibleAt);
    message.visibleAt = clock.now + visibilityTimeout;
    try {
      const result = await run(message.step, timeLeft);
      if (result === 'done') messages.delete(message);
      return result;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return 'crashed';
    }
  };
  return {
    clock,
    deps,
    ports,
    table,
    job,
    events,
    queued,
    messages,
    faults,
    run,
    receive,
    start: async () => {
      await ports.storeBulkReplay(job);
      messages.add({ step: { key: job, step: 1 }, visibleAt: clock.now + 1000 });
    },
    /** Receives until no message is left. */
    drain: async () => {
      for (let count = 0; count < 500; count += 1) if ((await receive()) === null) return;
      throw new Error('The messages of the bulk replay do not end');
    },
    stored: () => ports.readBulkReplay(job),
    steps: () => events.filter(({ name }) => name === 'replay.stepped').length,
    /** Those of the job, which wait. */
    replays: () =>
      [...table.deliveries]
        .map(({ delivery }) => delivery)
        .filter(({ replayOf, status }) => replayOf !== null && status === 'pending'),
  };
}
