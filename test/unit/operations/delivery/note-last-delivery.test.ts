import { describe, expect, it } from 'vitest';
import type { AttemptTime } from '#shared/domain/last-delivery.ts';
import { noteAttempts } from '#shared/operations/delivery/note-last-delivery.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  hour,
  minute,
  startOfTest,
} from '../../../support/values/builders.ts';

const endpointAt = (after: number) => buildEndpoint({ lastDeliveryAt: startOfTest + after });
const retry = buildDelivery({ attempts: 2 });
const retried: AttemptTime = { id: retry.id, lastAttemptAt: startOfTest };
const newer = (after: number): AttemptTime => ({
  id: deliveryIdNumber(2),
  lastAttemptAt: startOfTest + after,
});

/** @param newest the newest deliveries */
function createWorld(newest: readonly AttemptTime[] = [], deliveriesExpire = false) {
  const calls: string[] = [];
  const { table } = recordStore({
    deliveries: newest.map((given) => buildDelivery(given)),
    asking: () => void calls.push('read'),
  }).ports;
  const note = noteAttempts({
    table,
    noteLastDelivery: async (_endpoint, at) => void calls.push(`note ${at - startOfTest}`),
    report: unexpected('report'),
    deliveriesExpire,
  });
  return { note, calls };
}

describe('noteAttempts()', () => {
  it.each([
    ['no first attempt on time', 1, 0, -hour, [], []],
    ['no retry within a minute of the time at the endpoint', 2, hour, hour - minute + 1, [], []],
    ['no retry that is among the newest deliveries', 2, hour, 0, [newer(0), retried], ['read']],
    ['no retry within a minute of the newest deliveries', 2, hour, 0, [newer(hour - minute + 1)], ['read']],
    [
      'a retry that the newest deliveries do not show',
      2,
      hour,
      0,
      [newer(hour - minute)],
      ['read', `note ${hour}`],
    ],
    ['a first attempt in a backlog', 1, 2 * minute, 0, [newer(0)], ['read', `note ${2 * minute}`]],
  ])('writes %s', async (_, attempts, after, noted, newest, calls) => {
    const world = createWorld(newest);

    await world.note(endpointAt(noted), buildDelivery({ attempts }), startOfTest + after);

    expect(world.calls).toEqual(calls);
  });

  it('writes a first attempt on time once a day where deliveries expire, without a read', async () => {
    const world = createWorld([], true);
    const note = (ago: number) => world.note(endpointAt(-ago), buildDelivery({ attempts: 1 }), startOfTest);

    await note(24 * hour - 1);
    expect(world.calls).toEqual([]);

    await note(24 * hour);
    await note(24 * hour);
    expect(world.calls).toEqual(['note 0']);
  });

  it('writes once for the attempts of a batch, and again after a minute', async () => {
    const world = createWorld();
    const times = [0, 5, 3, minute - 1, minute, minute + 1];

    await Promise.all(times.map((time) => world.note(endpointAt(0), retry, startOfTest + hour + time)));

    expect(world.calls).toEqual(['read', 'read', `note ${hour}`, `note ${hour + minute}`]);
  });
});
