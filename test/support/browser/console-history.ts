import { randomBytes } from 'node:crypto';
import type { Table } from '#shared/aws/clients.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { storeBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { addToTally, openTallies } from '#shared/aws/table/replays/replay-tallies.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import type { PostResult } from '#shared/domain/attempt.ts';
import { type BulkReplayKey, newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { runCompletedBody, trackerChangedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { talliesOf } from '#shared/domain/replay-outcomes.ts';
import { attempted } from '../docs/shown-deliveries.ts';
import { acknowledged, buildEndpoint, hour, minute } from '../values/builders.ts';

type Given = {
  readonly table: Table;
  readonly customerId: string;
  /** Epoch milliseconds. */
  readonly now: number;
};

export const unavailable: PostResult = {
  outcome: 'rejected',
  responseStatus: 503,
  error: 'The receiver responded with status 503',
  isRepeated: false,
  durationMs: 212,
  timings: { dnsMs: 9, connectMs: 24, tlsMs: 41, firstByteMs: 138 },
};

const late: PostResult = {
  outcome: 'timed_out',
  responseStatus: null,
  error: 'No complete response headers within 10 s',
  isRepeated: false,
  durationMs: 10_000,
  timings: { dnsMs: 11, connectMs: 29, tlsMs: 52, firstByteMs: null },
};

const unreachable: PostResult = {
  outcome: 'connection_failed',
  responseStatus: null,
  error: 'The receiver refused the connection (ECONNREFUSED)',
  isRepeated: false,
  durationMs: 31,
  timings: { dnsMs: 10, connectMs: null, tlsMs: null, firstByteMs: null },
};

/** Stores an endpoint. Its secret opens for no function: nothing is sent to it. */
export async function storeEndpoint({ table, customerId, now }: Given, given: Partial<Endpoint>): Promise<string> {
  const createdAt = given.createdAt ?? now - 30 * 24 * hour;
  const id = makeId('webhook', createdAt, randomBytes(10));
  const times = { createdAt, activatedAt: createdAt + 120, lastDeliveryAt: now - 4 * minute };
  const endpoint = buildEndpoint({ id, customerId, ...times, ...given });
  await table.client.put({
    TableName: table.name,
    Item: { ...liveEndpointKey(customerId, id), ...toEndpointItem(endpoint) },
  });
  return id;
}

type Made = {
  readonly webhookId: string;
  readonly createdAt: number;
  /** Results of its attempts, each at its planned time. */
  readonly results: readonly PostResult[];
  readonly kind?: string;
  /** Whether the event is about a Tracker. */
  readonly isTracked?: boolean;
  /** The delivery that it replays. */
  readonly replayOf?: string;
};

/** Public address of the API in the links of events. */
const address = 'https://api.example.com';

/** Stores a delivery with its attempts; the last result says how it ended. @returns its id */
export async function storeAttempted({ table, customerId }: Given, made: Made): Promise<string> {
  const { webhookId, createdAt, results, kind = 'creator_videos' } = made;
  const event = { id: makeId('event', createdAt, randomBytes(10)), createdAt };
  const run = {
    id: makeId('run', createdAt - minute, randomBytes(10)),
    kind: made.isTracked === true ? 'tracker_cycle' : kind,
    status: 'completed',
    chargeUsd: 0.25,
    trackerId: makeId('tracker', createdAt - 9 * hour, randomBytes(10)),
  };
  const body =
    made.isTracked === true
      ? trackerChangedBody(event, run, makeId('changeReport', createdAt, randomBytes(10)), address)
      : runCompletedBody(event, { ...run, trackerId: null }, address);
  const id = deliveryId(createdAt, randomBytes(10), 1);
  const replayed = made.replayOf === undefined ? {} : { replayOf: made.replayOf };
  const pending = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body), ...replayed });
  await storeDelivery(table, attempted(pending, createdAt + 140, results), null);
  return id;
}

/** Stores failed deliveries of the last hours. */
export async function storeFailed(given: Given, webhookId: string, count: number): Promise<readonly string[]> {
  return await Promise.all(
    Array.from({ length: count }, (_, index) =>
      storeAttempted(given, {
        webhookId,
        createdAt: given.now - 3 * hour - index * minute,
        results: [unavailable, late, unreachable],
      }),
    ),
  );
}

/** Stores an endpoint whose deliveries have failed for three hours. @returns its id */
export async function storeFailing(given: Given): Promise<string> {
  const failingSince = given.now - 3 * hour;
  const id = await storeEndpoint(given, { url: 'https://crm.northwind.example/events', failingSince });
  await storeFailed(given, id, 3);
  return id;
}

/** A delivery whose first attempt has just failed. */
export const waitingAt = (webhookId: string): Made => ({
  webhookId,
  createdAt: Date.now(),
  results: [unavailable],
});

/** Stores a bulk replay that has begun and goes no further. @returns its id */
export async function storeRunning(
  { table, customerId, now }: Given,
  webhookId: string,
  replayed: number,
): Promise<string> {
  const job = newBulkReplay(
    {
      customerId,
      webhookId,
      selection: { status: 'failed', createdAfter: now - 24 * hour, createdBefore: now },
      rate: 10,
      requestedBy: { by: 'customer', credentialId: 'aky_00000000000000000000000000' },
    },
    now - 4_000,
    randomBytes(10),
  );
  await storeBulkReplay(table, { ...job, replayed });
  return job.id;
}

/** Counts replays of a bulk replay that have ended. @param marks one for each, by how it ended */
export async function storeEnds(
  { table, now }: Given,
  job: BulkReplayKey,
  marks: Parameters<typeof addToTally>[3],
): Promise<void> {
  const [tally = ''] = talliesOf({ id: job.id, step: 1 }, 1);
  await openTallies(table, job, [tally], now);
  await addToTally(table, job, tally, marks);
}

/** A day of an endpoint: most deliveries arrived, a few failed while it was down. @returns ids by how they ended */
export async function storeDay(given: Given, webhookId: string, count: number) {
  const { now } = given;
  const store = (createdAt: number, results: readonly PostResult[], isTracked = false) =>
    storeAttempted(given, { webhookId, createdAt, results, isTracked });
  const pending = await store(now - 4 * minute, [unavailable]);
  const failed = await store(now - 26 * hour, [unavailable, late, unreachable]);
  const recovered = await store(now - 95 * minute, [late, acknowledged]);
  await Promise.all(
    Array.from({ length: count - 3 }, (_, index) =>
      store(
        now - 12 * minute - index * 47 * minute,
        index % 9 === 5 ? [unavailable, unavailable, late] : [acknowledged],
        index % 4 === 1,
      ),
    ),
  );
  return { pending, failed, recovered };
}
