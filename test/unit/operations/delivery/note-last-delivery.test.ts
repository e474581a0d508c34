import { describe, expect, it } from 'vitest';
import type { AttemptTime } from '#shared/domain/last-delivery.ts';
import { noteAttempts } from '#shared/operations/delivery/note-last-delivery.ts';
import { createReports } from '../../../support/operations/deps.ts';
import {
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  hour,
  minute,
  startOfTest,
} from '../../../support/values/builders.ts';

const retry = buildDelivery({ attempts: 2 });
const retriedAt = startOfTest + hour;
const newer = (lastAttemptAt: number): AttemptTime => ({ id: deliveryIdNumber(2), lastAttemptAt });

function createWorld(newest: readonly AttemptTime[] = [], deliveriesExpire = false) {
  const reports = createReports();
  const calls: string[] = [];
  const note = noteAttempts({
    readAttemptTimes: async () => {
      calls.push('read');
      return newest;
    },
    noteLastDelivery: async (_endpoint, at) => void calls.push(`note ${at - startOfTest}`),
    report: reports.report,
    deliveriesExpire,
  });
  return { note, calls };
}

describe('noteAttempts()', () => {
  it('neither reads nor writes for a first attempt on time', async () => {
    const world = createWorld();

    await world.note(buildEndpoint({ lastDeliveryAt: null }), buildDelivery({ attempts: 1 }), startOfTest);

    expect(world.calls).toEqual([]);
  });

  it('writes a first attempt on time once a day where deliveries expire, without a read', async () => {
    const world = createWorld([], true);
    const first = buildDelivery({ attempts: 1 });
    const noted = (lastDeliveryAt: number) =>
      world.note(buildEndpoint({ lastDeliveryAt }), first, startOfTest);

    await noted(startOfTest - 24 * hour + 1);
    expect(world.calls).toEqual([]);

    await noted(startOfTest - 24 * hour);
    await noted(startOfTest - 24 * hour);

    expect(world.calls).toEqual(['note 0']);
  });

  it('neither reads nor writes when the endpoint stores a time of the last minute', async () => {
    const world = createWorld();

    await world.note(buildEndpoint({ lastDeliveryAt: retriedAt - minute + 1 }), retry, retriedAt);

    expect(world.calls).toEqual([]);
  });

  it('writes no retry that is among the newest deliveries', async () => {
    const world = createWorld([newer(startOfTest), { id: retry.id, lastAttemptAt: retriedAt }]);

    await world.note(buildEndpoint(), retry, retriedAt);

    expect(world.calls).toEqual(['read']);
  });

  it('writes no retry when the newest deliveries show a time of the last minute', async () => {
    const world = createWorld([newer(retriedAt - minute + 1)]);

    await world.note(buildEndpoint(), retry, retriedAt);

    expect(world.calls).toEqual(['read']);
  });

  it('writes a retry that the newest deliveries do not show', async () => {
    const world = createWorld([newer(retriedAt - minute)]);

    await world.note(buildEndpoint(), retry, retriedAt);

    expect(world.calls).toEqual(['read', `note ${hour}`]);
  });

  it('writes a first attempt in a backlog', async () => {
    const world = createWorld([newer(startOfTest)]);

    await world.note(buildEndpoint(), buildDelivery({ attempts: 1 }), startOfTest + 2 * minute);

    expect(world.calls).toEqual(['read', `note ${2 * minute}`]);
  });

  it('writes once for the attempts of a batch, and again after a minute', async () => {
    const world = createWorld();
    const times = [0, 5, 3, minute - 1, minute, minute + 1];

    await Promise.all(times.map((time) => world.note(buildEndpoint(), retry, retriedAt + time)));

    expect(world.calls).toEqual(['read', 'read', `note ${hour}`, `note ${hour + minute}`]);
  });
});
