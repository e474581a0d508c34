import { describe, expect, it } from 'vitest';
import type { AttemptTime } from '#shared/domain/last-delivery.ts';
import { noteAttempts } from '#shared/operations/delivery/note-last-delivery.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  hour,
  minute,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const endpointAt = (after: number) => buildEndpoint({ lastDeliveryAt: startOfTest + after });
const retry = buildDelivery({ attempts: 2 });
const retried: AttemptTime = { id: retry.id, lastAttemptAt: startOfTest };
const newer = (after: number): AttemptTime => ({
  id: deliveryIdNumber(2),
  lastAttemptAt: startOfTest + after,
});

/** An endpoint without a time. @param newest the newest deliveries */
function createWorld(newest: readonly AttemptTime[] = [], days: number | null = null) {
  const { table, records, asked } = recordStore({
    deliveries: newest.map((given) => buildDelivery(given)),
    endpoints: [buildEndpoint({ lastDeliveryAt: 0 })],
  });
  const retention = { now: unexpected('now'), days };
  const note = noteAttempts({ table: { ...table, retention }, report: unexpected('report') });
  /** What was asked of the table, and which time it has, after the start of the test; `null` for none. */
  const done = () => {
    const { lastDeliveryAt } = records.liveEndpoint(customerId, webhookId) ?? {};
    return [asked, lastDeliveryAt ? lastDeliveryAt - startOfTest : null];
  };
  return { note, done };
}

const [reads, writes] = ['query DLV', 'update CUS'];

describe('noteAttempts()', () => {
  it.each([
    ['no first attempt on time', 1, 0, -hour, [], [], null],
    ['no retry within a minute of the time at the endpoint', 2, hour, hour - minute + 1, [], [], null],
    ['no retry that is among the newest deliveries', 2, hour, 0, [newer(0), retried], [reads], null],
    ['no retry within a minute of the newest deliveries', 2, hour, 0, [newer(hour - minute + 1)], [reads], null],
    ['a retry that the newest deliveries do not show', 2, hour, 0, [newer(hour - minute)], [reads, writes], hour],
    ['a first attempt in a backlog', 1, 2 * minute, 0, [newer(0)], [reads, writes], 2 * minute],
  ])('writes %s', async (_, attempts, after, noted, newest, asked, time) => {
    const world = createWorld(newest);

    await world.note(endpointAt(noted), buildDelivery({ attempts }), startOfTest + after);

    expect(world.done()).toEqual([asked, time]);
  });

  it('writes a first attempt on time once a day where deliveries expire, without a read', async () => {
    const world = createWorld([], 30);
    const note = (ago: number) => world.note(endpointAt(-ago), buildDelivery({ attempts: 1 }), startOfTest);

    await note(24 * hour - 1);
    expect(world.done()).toEqual([[], null]);

    await note(24 * hour);
    await note(24 * hour);
    expect(world.done()).toEqual([[writes], 0]);
  });

  it('writes once for the attempts of a batch, and again after a minute', async () => {
    const world = createWorld();
    const times = [0, 5, 3, minute - 1, minute, minute + 1];

    await Promise.all(times.map((time) => world.note(endpointAt(0), retry, startOfTest + hour + time)));

    expect(world.done()).toEqual([[reads, reads, writes, writes], hour + minute]);
  });
});
