import { beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import { cancelDelivery } from '#shared/aws/table/deliveries/attempts.ts';
import { readDelivery, storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import { customerKey, eventReplayKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { readBulkReplay, readBulkReplays, storeBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { storeReplay } from '#shared/aws/table/replays/store-replay.ts';
import { readRun, readRuns } from '#shared/aws/table/results/runs.ts';
import { readChangeReports, readTracker } from '#shared/aws/table/results/trackers.ts';
import { isCreatorKnown, readCreatorVideos, readRunItems } from '#shared/aws/table/results/videos.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { replayOf } from '#shared/domain/delivery.ts';
import { dependentDays } from '#shared/domain/retention.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { useTable } from '../support/aws/table.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import {
  acknowledged,
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  hour,
  rejected,
  startOfTest,
} from '../support/values/builders.ts';
import { intakeExamples } from '../support/values/intake-messages.ts';

const { current } = useTable();

const day = 24 * hour;
const days = 30;
/** Milliseconds from `startOfTest` to the second from which its rows expire. */
const untilSecond = 500;
const endpoint = buildEndpoint();
const creator = { platform: 'tiktok', handle: 'maker' };
const firstPage = { after: null, limit: 10 };

beforeEach(async () => {
  await storeCustomer(current(), { id: customerId, name: 'Customer', createdAt: startOfTest });
  await current().putEndpoints(endpoint);
});

/** The intake and the delivery function of a stage with a retention, over one table and one clock. */
function openStage(kept: number | null = days, answer = acknowledged) {
  const raw = current();
  const retention = { now: () => worker.clock.now(), days: kept };
  const table: Table = { ...raw, client: servingUnexpired(raw.client, retention.now), retention };
  const worker = tableDelivering(table, async () => answer, startOfTest);
  const intake = tableIntake(table, worker.clock.now, () => {});
  const accept = async (...messages: readonly unknown[]) => {
    const results = await intake.accept(messages.map((message) => intakeMessage.parse(message)));
    expect(results).toEqual(messages.map(() => 'done'));
  };
  return {
    table,
    clock: worker.clock,
    accept,
    /** Delivers what is queued. @returns the ids of the deliveries */
    deliver: async () => {
      const due = intake.queued.splice(0);
      await worker.deliver(due);
      return due.map(({ key }) => key.id);
    },
    scheduled: worker.scheduled,
    deliverAgain: worker.deliver,
  };
}

type Stage = ReturnType<typeof openStage>;

/** What a customer reads about the results of `intakeExamples`. */
async function served({ table }: Pick<Stage, 'table'>) {
  const rows = async (page: Promise<{ readonly rows: readonly unknown[] }>) => (await page).rows.length;
  return {
    run: (await readRun(table, customerId, 'run_1'))?.status ?? null,
    runs: await rows(readRuns(table, customerId, firstPage)),
    items: await rows(readRunItems(table, customerId, 'run_1', firstPage)),
    tracker: (await readTracker(table, customerId, 'trk_1'))?.id ?? null,
    reports: await rows(readChangeReports(table, customerId, 'trk_1', firstPage)),
    videos: await rows(readCreatorVideos(table, customerId, creator, firstPage)),
    creator: await isCreatorKnown(table, customerId, creator),
    deliveries: await rows(readDeliveries(table, { ...endpoint, customerId }, { ...firstPage, matches: null })),
  };
}

const everything = {
  run: 'completed',
  runs: 2,
  items: 1,
  tracker: 'trk_1',
  reports: 1,
  videos: 1,
  creator: true,
  deliveries: 2,
};
const nothing = {
  run: null,
  runs: 0,
  items: 0,
  tracker: null,
  reports: 0,
  videos: 0,
  creator: false,
  deliveries: 0,
};

const { 'run.settled': settled, 'run.saved': saved, ...others } = intakeExamples;
const {
  'change_report.written': report,
  'creator_videos.saved': videos,
  'run.items_saved': items,
  'tracker.saved': tracker,
} = others;

describe('a stage with a retention', () => {
  it('a stage with a retention serves every result until its time, although the rows are there, and items without a Run for longer', async () => {
    const stage = openStage();
    await stage.accept(saved, ...Object.values(others), settled);
    await stage.deliver();

    stage.clock.pass(days * day + untilSecond - 1);
    expect(await served(stage)).toEqual(everything);
    stage.clock.pass(1);

    expect(await served(stage)).toEqual({ ...nothing, items: 1 });
    stage.clock.pass(dependentDays * day);
    expect(await served(stage)).toEqual(nothing);
    expect(await served({ table: current() })).toEqual(everything);
    for (const key of [liveEndpointKey(customerId, endpoint.id), customerKey(customerId)]) {
      const { pk, expires_at } = await current().readItem(key);
      expect([pk, expires_at]).toEqual([key.pk, undefined]);
    }
  });

  it('a stage with a retention keeps the items of a Run that took long for as long as the Run', async () => {
    const stage = openStage();
    await stage.accept(items, saved);
    stage.clock.pass((dependentDays - 1) * day);
    await stage.accept(saved, settled);

    stage.clock.pass(days * day + untilSecond - 1);

    expect(await served(stage)).toMatchObject({ run: 'completed', items: 1 });
  });

  it('a stage with a retention never expires a pending delivery, and counts from its end', async () => {
    const stage = openStage(1, rejected);
    await stage.accept(settled);
    await stage.deliver();
    stage.clock.pass(2 * day);
    expect(await served(stage)).toMatchObject({ run: null, deliveries: 1 });

    await stage.deliverAgain(stage.scheduled.slice(-1));
    await stage.deliverAgain(stage.scheduled.slice(-1));
    stage.clock.pass(hour);
    await stage.deliverAgain(stage.scheduled.slice(-1));

    stage.clock.pass(day - 1000);
    expect(await served(stage)).toMatchObject({ deliveries: 1 });
    stage.clock.pass(2000);
    expect(await served(stage)).toMatchObject({ deliveries: 0 });
  });

  it('a stage with a retention counts a cancelled delivery from its end', async () => {
    const { table, clock } = openStage();
    const delivery = buildDelivery();
    await storeDelivery(table, delivery, null);

    await cancelDelivery(table, delivery, 'endpoint_deleted', clock.now());

    clock.pass(days * day + untilSecond - 1);
    expect(await readDelivery(table, delivery)).toMatchObject({ status: 'failed' });
    clock.pass(1);
    expect(await readDelivery(table, delivery)).toBeNull();
  });

  it('a stage with a retention expires the row that names a replay 30 days after the replay that it names would', async () => {
    const { table, clock } = openStage();
    const original = buildDelivery({ status: 'failed', attempts: 3, endedAt: startOfTest });
    await storeDelivery(table, original, null);
    const replay = replayOf(original, deliveryIdNumber(2));

    expect(await storeReplay(table, replay, clock.now(), null)).toBe(true);

    const read = () => table.client.get({ TableName: table.name, Key: eventReplayKey(replay, replay.event.id) });
    clock.pass((days + dependentDays) * day + untilSecond - 1);
    expect(await read()).toHaveProperty('Item');
    clock.pass(1);
    expect(await read()).not.toHaveProperty('Item');
  });

  it('a stage with a retention costs 5 write units for an event, as without a retention', async () => {
    const stage = openStage();
    await stage.accept(tracker);
    current().takeWriteUnits();

    await stage.accept(settled);
    await stage.deliver();

    expect(current().takeWriteUnits()).toBe(5);
  });
});

describe('a repeated message on a stage with a retention', () => {
  it('a repeated message on a stage with a retention makes no second event while its Run and its report are served', async () => {
    const stage = openStage();
    await stage.accept(settled, report);
    expect(await stage.deliver()).toHaveLength(2);

    stage.clock.pass(days * day + untilSecond - 1);
    await stage.accept(settled, report);

    expect(await stage.deliver()).toEqual([]);
  });

  it('a repeated message on a stage with a retention stores an expired Run and an expired report again, with a new event, although they were not removed', async () => {
    const stage = openStage();
    const messages = [settled, report];
    await stage.accept(...messages);
    const first = await stage.deliver();
    stage.clock.pass(days * day + untilSecond);

    await stage.accept(...messages, ...messages);
    const second = await stage.deliver();

    expect(new Set([...first, ...second]).size).toBe(4);
    expect(await served(stage)).toMatchObject({ run: 'completed', reports: 1, deliveries: 2 });
    stage.clock.pass(days * day - 1);
    expect(await served(stage)).toMatchObject({ run: 'completed', reports: 1, deliveries: 2 });
  });

  it('a repeated message on a stage with a retention does not let a late report extend its Run beyond the deliveries of the Run', async () => {
    const stage = openStage();
    await stage.accept({ ...settled, run: report.run });
    stage.clock.pass(days * day + untilSecond - 1);
    await stage.accept(report);
    stage.clock.pass(1);

    expect(await readRun(stage.table, customerId, report.run.id)).toBeNull();
    expect(await served(stage)).toMatchObject({ reports: 1 });
  });

  it('a repeated message on a stage with a retention makes one event of twenty messages that meet an expired Run together', async () => {
    const stage = openStage();
    await stage.accept(settled);
    await stage.deliver();
    stage.clock.pass(days * day + untilSecond);

    await stage.accept(...Array.from({ length: 20 }, () => settled));

    expect(new Set(await stage.deliver()).size).toBe(1);
  });

  it('a repeated message on a stage with a retention extends an open Run, a Tracker and the newest version of a video, and replaces expired ones', async () => {
    const stage = openStage();
    await stage.accept(saved, tracker, videos);
    for (const pause of [days * day - 1000, days * day + 1000]) {
      stage.clock.pass(pause);
      await stage.accept(saved, tracker, videos);
    }

    stage.clock.pass(days * day - 1000);

    expect(await served(stage)).toMatchObject({ run: 'running', tracker: 'trk_1', videos: 1, creator: true });
  });

  it('a repeated message on a stage with a retention accepts an older version of a video and another version of an item once the stored ones have expired', async () => {
    const stage = openStage();
    const [video] = videos.videos;
    const older = {
      ...video,
      description: 'Older',
      snapshot: { ...video.snapshot, at: '2025-12-31T00:00:00.000Z' },
    };
    await stage.accept(videos, items);
    stage.clock.pass((days + dependentDays) * day + untilSecond);

    await stage.accept({ ...videos, videos: [older] }, { ...items, items: [older] });

    const { table } = stage;
    const stored = await readCreatorVideos(table, customerId, creator, firstPage);
    const listed = await readRunItems(table, customerId, 'run_1', firstPage);
    expect([...stored.rows, ...listed.rows]).toMatchObject([{ description: 'Older' }, { description: 'Older' }]);
  });
});

describe('a bulk replay that has ended', () => {
  it('is not shown any more 90 days after its end, with any retention, although the table still has it', async () => {
    const { table, clock } = openStage(null);
    const job = buildBulkReplay();
    await storeBulkReplay(table, job);
    const deps = { table, now: clock.now };
    await cancelBulkReplay(deps)(job);
    const listed = async () => (await readBulkReplays(table, customerId, endpoint.id, firstPage)).rows;

    clock.pass(90 * day + untilSecond - 1);
    expect(await cancelBulkReplay(deps)(job)).toMatchObject({
      job: { status: 'cancelled', endedAt: startOfTest },
    });
    expect(await readBulkReplay(table, job)).toMatchObject({ id: job.id });
    expect(await listed()).toHaveLength(1);
    clock.pass(1);

    await expect(cancelBulkReplay(deps)(job)).rejects.toMatchObject({ code: 'not_found' });
    expect(await readBulkReplay(table, job)).toBeNull();
    expect(await listed()).toEqual([]);
    expect(await readBulkReplay(current(), job)).toMatchObject({ id: job.id });
  });
});

describe('a change of the retention', () => {
  it('a change of the retention applies to rows that are written from then on', async () => {
    const before = openStage(null);
    await before.accept(settled);
    await before.deliver();
    const after = openStage();
    after.clock.pass(1000 * day);

    expect(await served(after)).toMatchObject({ run: 'completed', deliveries: 1 });
  });

  it('a change of the retention keeps a Run that settles after the retention was turned off', async () => {
    const before = openStage();
    await before.accept(saved);

    const after = openStage(null);
    await after.accept(settled);
    after.clock.pass(1000 * day);

    expect(await served(after)).toMatchObject({ run: 'completed' });
  });
});
