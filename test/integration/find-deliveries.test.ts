import { beforeEach, describe, expect, it } from 'vitest';
import { storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { readDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import { readReportFanOut } from '#shared/aws/table/deliveries/fan-outs.ts';
import { eventReplayKey, runKey, slotsKey } from '#shared/aws/table/keys.ts';
import { readRun, storeSettledRun } from '#shared/aws/table/results/runs.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest, eventId } from '#shared/domain/derived-id.ts';
import { runCompletedBody, webhookTestBody } from '#shared/domain/event.ts';
import { planFanOut } from '#shared/domain/fan-out.ts';
import { makeId } from '#shared/domain/ids.ts';
import { listAllDeliveries, listDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { useTable } from '../support/aws/table.ts';
import { cursors } from '../support/operations/cursors.ts';
import { createClock } from '../support/operations/deps.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  otherWebhookId,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';
import { intakeExamples, reportMessage, settledMessage } from '../support/values/intake-messages.ts';
import { buildSettledRun } from '../support/values/stored-results.ts';

const { current } = useTable();

const newestFirst = (deliveries: readonly Delivery[]) =>
  deliveries
    .map(({ id }) => id)
    .sort()
    .reverse();

const putEndpoint = (deliveryPartitions: number, id = webhookId) =>
  current().putEndpoints(buildEndpoint({ id, deliveryPartitions }));

const put = (deliveries: readonly Delivery[]) => current().putItems(deliveries.map(toDeliveryItem));

/** The first delivery of the event about a Run. */
function originalOf(run: string, at: number, partitions = 1): Delivery {
  const endpoints = [{ id: webhookId, status: 'active', deliveryPartitions: partitions, slowSince: null }];
  const fanOut = planFanOut(customerId, 'run.completed', run, endpoints, at);
  const body = runCompletedBody(
    { id: fanOut.eventId, createdAt: at },
    { id: run, kind: 'creator_videos', status: 'completed', chargeUsd: 0.25, trackerId: null },
    'https://api.example.com',
  );
  return buildDelivery({ id: fanOut.deliveries[0]?.deliveryId ?? '', body, event: readEvent(body) });
}

function replayOf(original: Delivery, at: number, number: number, partitions = 1): Delivery {
  const id = deliveryId(at, digest('replay', original.id, String(number)), partitions);
  return { ...original, id, replayOf: original.id, status: number % 2 === 0 ? 'failed' : 'delivered' };
}

async function putReplays(replays: readonly Delivery[]): Promise<void> {
  await put(replays);
  await current().putItems(replays.map((replay) => eventReplayKey(replay, replay.event.id)));
}

/** Every page of the list. */
async function walk(query: Omit<ListDeliveriesQuery, 'cursor'>, id = webhookId) {
  const list = listDeliveries({ cursors, table: current() });
  const pages: (readonly string[])[] = [];
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(customerId, id, { ...query, cursor });
    pages.push(page.rows.map((row) => row.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** What a query returns, and the number of rows that it reads. */
async function measure(query: Omit<ListDeliveriesQuery, 'cursor'>) {
  current().takeReadRows();
  const ids = (await walk(query)).flat();
  return { ids, rows: current().takeReadRows() };
}

describe('deliveries that were created in a range of times', () => {
  it.each([1, 8])(
    'deliveries that were created in a range of times are exactly those of the range, in pages of any size, over %i partitions',
    async (partitions) => {
      await putEndpoint(partitions);
      const all = Array.from({ length: 30 }, (_, number) =>
        originalOf(`run_${number}`, startOfTest + Math.floor(number / 3), partitions),
      );
      await put(all.map((delivery, number) => ({ ...delivery, status: number % 2 === 0 ? 'failed' : 'pending' })));
      const within = (from: number, to: number) => newestFirst(all.slice(from * 3, to * 3));

      for (const limit of [4, 100]) {
        const from = { limit, created_after: startOfTest + 3 };
        const to = { limit, created_before: startOfTest + 8 };
        expect((await walk(from)).flat()).toEqual(within(3, 10));
        expect((await walk(to)).flat()).toEqual(within(0, 8));
        expect((await walk({ ...from, ...to })).flat()).toEqual(within(3, 8));
        expect((await walk({ ...from, ...to, status: 'failed' })).flat()).toEqual(
          newestFirst(all.filter((_, number) => number % 2 === 0 && number >= 9 && number < 24)),
        );
      }
      expect(await walk({ limit: 4, created_before: startOfTest })).toEqual([[]]);
      expect(await walk({ limit: 4, created_after: startOfTest + 10 })).toEqual([[]]);
      expect(await walk({ limit: 4, created_after: -9e15, created_before: -8e15 })).toEqual([[]]);
    },
  );

  it('deliveries that were created in a range of times are read without those before and after the range', async () => {
    await putEndpoint(1);
    await put(Array.from({ length: 60 }, (_, number) => originalOf(`run_${number}`, startOfTest + number)));

    const range = { limit: 25, created_after: startOfTest + 25, created_before: startOfTest + 29 };

    expect(await measure(range)).toMatchObject({ ids: { length: 4 }, rows: 5 });
  });
});

describe('deliveries of an event', () => {
  it.each([1, 8])(
    'deliveries of an event are its first delivery and its replays, newest first, in pages of any size, over %i partitions',
    async (partitions) => {
      await putEndpoint(partitions);
      await putEndpoint(1, otherWebhookId);
      const original = originalOf('run_1', startOfTest, partitions);
      const others = [2, 3, 4].map((number) => originalOf(`run_${number}`, startOfTest, partitions));
      const replays = Array.from({ length: 10 }, (_, number) =>
        replayOf(original, startOfTest + 1000 + number, number, partitions),
      );
      const replaysElsewhere = [1, 2].map((number) => ({
        ...replayOf(original, startOfTest + 1010, 100 + number),
        webhookId: otherWebhookId,
      }));
      const replaysOfOther = others.map((other) => replayOf(other, startOfTest + 1010, 1, partitions));
      await put([original, ...others]);
      await putReplays([...replays, ...replaysElsewhere, ...replaysOfOther]);
      const event_id = original.event.id;

      for (const limit of [3, 10, 11, 100]) {
        const pages = await walk({ limit, event_id });
        expect(pages.flat()).toEqual(newestFirst([original, ...replays]));
        expect(pages).toHaveLength(Math.ceil(11 / limit));
      }
      expect((await walk({ limit: 2, event_id, status: 'failed' })).flat()).toEqual(
        newestFirst(replays.filter(({ status }) => status === 'failed')),
      );
      expect((await walk({ limit: 2, event_id, created_before: startOfTest + 1003 })).flat()).toEqual(
        newestFirst([original, ...replays.slice(0, 3)]),
      );
      expect((await walk({ limit: 2, event_id, created_after: startOfTest + 1 })).flat()).toEqual(newestFirst(replays));
      expect((await walk({ limit: 25, event_id }, otherWebhookId)).flat()).toEqual(newestFirst(replaysElsewhere));
    },
  );

  it('deliveries of an event reach the oldest of 250 replays with a filter, over pages that may be empty', async () => {
    await putEndpoint(1);
    const original = originalOf('run_1', startOfTest);
    const replays = Array.from({ length: 250 }, (_, number) => replayOf(original, startOfTest + 1 + number, 1));
    await put([{ ...original, status: 'failed' }]);
    await putReplays(replays);

    const pages = await walk({ limit: 10, event_id: original.event.id, status: 'failed' });

    expect(pages).toEqual([[], [], [], [], [original.id]]);
  });

  it('deliveries of an event include the handshake of the endpoint, and are none for an unknown event', async () => {
    await putEndpoint(1);
    const id = makeId('event', startOfTest, digest('handshake'));
    const body = webhookTestBody({ id, createdAt: startOfTest }, webhookId);
    const handshake = buildDelivery({
      id: deliveryId(startOfTest, digest('random'), 1),
      body,
      event: readEvent(body),
    });
    await put([handshake]);

    expect(await walk({ limit: 25, event_id: id })).toEqual([[handshake.id]]);
    const unknown = eventId(customerId, 'run.completed', 'run_2', startOfTest);
    expect(await walk({ limit: 25, event_id: unknown })).toEqual([[]]);
  });

  it('deliveries of an event leave out a replay whose delivery is gone or cannot be read, and go on after it', async () => {
    await putEndpoint(1);
    const original = originalOf('run_1', startOfTest);
    const [gone, broken, fine] = [1, 2, 3].map((number) => replayOf(original, startOfTest + number, number));
    if (gone === undefined || broken === undefined || fine === undefined) throw new Error('Needs three');
    await put([original]);
    await putReplays([broken, fine]);
    await current().putItems([eventReplayKey(gone, original.event.id), { ...toDeliveryItem(broken), status: 'odd' }]);

    expect((await walk({ limit: 1, event_id: original.event.id })).flat()).toEqual([fine.id, original.id]);
    expect(current().reports).toMatchObject([{ name: 'row.unreadable', key: { sk: broken.id } }]);
  });

  it('deliveries of an event are read by their keys among others, each replay as well, without those to another endpoint', async () => {
    await putEndpoint(1);
    const all = Array.from({ length: 30 }, (_, number) => originalOf(`run_${number}`, startOfTest + number));
    const replayed = originalOf('run_7', startOfTest + 7);
    const elsewhere = Array.from({ length: 20 }, (_, number) => ({
      ...replayOf(replayed, startOfTest + 1000 + number, number),
      webhookId: otherWebhookId,
    }));
    await put(all);
    await putReplays([replayOf(replayed, startOfTest + 900, 1), ...elsewhere]);

    const found = await measure({ limit: 25, event_id: all[22]?.event.id });
    const withReplay = await measure({ limit: 25, event_id: replayed.event.id });

    expect(found).toEqual({ ids: [all[22]?.id], rows: 2 });
    expect(withReplay).toMatchObject({ ids: { length: 2 }, rows: 4 });
  });
});

describe('deliveries of a Run', () => {
  function openIntake() {
    const clock = createClock(startOfTest);
    const { accept } = tableIntake(current(), clock.now, () => {});
    return { accept, clock };
  }
  const nameReports = (run: string, reports: readonly string[]) =>
    current().client.update({
      TableName: current().name,
      Key: runKey(customerId, run),
      UpdateExpression: 'SET change_reports = :reports',
      ExpressionAttributeValues: { ':reports': new Set(reports) },
    });

  beforeEach(async () => {
    await storeCustomer(current(), { id: customerId, name: 'Customer', createdAt: startOfTest });
    await putEndpoint(1);
  });

  const [settled, written] = [settledMessage('run_1'), reportMessage('run_1', 'chg_1')];

  it.each([
    ['the Run settles first', [settled, written]],
    ['the Change Report is first', [written, settled]],
    ['messages are repeated', [written, settled, written, settled]],
  ])(
    'deliveries of a Run are those of run.completed and tracker.changed, with their replays, when %s',
    async (_, messages) => {
      const intake = openIntake();
      for (const message of messages) {
        await intake.accept([message]);
        intake.clock.pass(1000);
      }
      await intake.accept([settledMessage('run_2'), reportMessage('run_2', 'chg_2')]);

      const firsts = await walk({ limit: 1, run_id: 'run_1' });
      const ofReport = (await walk({ limit: 25, run_id: 'run_1', event_type: 'tracker.changed' })).flat();

      expect(firsts.flat()).toEqual(newestFirst(await storedOf('run_1')));
      expect(firsts.flat()).toHaveLength(2);
      expect(ofReport).toHaveLength(1);
    },
  );

  it('deliveries of a Run are none for a Run that does not exist, that runs, or whose report was never stored', async () => {
    const running = intakeMessage.parse(intakeExamples['run.saved']);
    await openIntake().accept([running, reportMessage('run_2', 'chg_2')]);
    await nameReports('run_2', ['chg_lost']);

    for (const run_id of ['run_none', 'run_1', 'run_2']) expect(await walk({ limit: 25, run_id })).toEqual([[]]);
  });

  it('deliveries of a Run leave out the event of another Run that wrote the same report first', async () => {
    const intake = openIntake();
    await intake.accept([written]);
    await intake.accept([reportMessage('run_2', 'chg_1')]);

    expect((await walk({ limit: 25, run_id: 'run_1' })).flat()).toHaveLength(1);
    expect((await walk({ limit: 25, run_id: 'run_2' })).flat()).toEqual([]);
  });

  it('deliveries of a Run are named by their Run up to 100 Change Reports, so that its item stays small', async () => {
    const intake = openIntake();
    const run = buildSettledRun();
    await storeSettledRun(current(), customerId, run, 'chg_0');
    await nameReports(
      'run_1',
      Array.from({ length: 99 }, (_, number) => `chg_${number + 100}`),
    );

    expect(await intake.accept([reportMessage('run_1', 'chg_99')])).toEqual(['done']);
    expect(await intake.accept([reportMessage('run_1', 'chg_more')])).toEqual(['done']);

    expect(await readRun(current(), customerId, 'run_1')).toEqual(run);
    const [last, more] = await Promise.all(
      ['chg_99', 'chg_more'].map((report) => readReportFanOut(current())(customerId, report)),
    );
    expect(more).toMatchObject({ deliveries: { length: 1 } });
    expect(await walk({ limit: 100, run_id: 'run_1' })).toEqual([[last?.deliveries[0]?.deliveryId]]);
  });

  it('deliveries of a Run are read by their keys, those of a Change Report as well', async () => {
    const intake = openIntake();
    await intake.accept([settled]);
    intake.clock.pass(1);
    await intake.accept([settledMessage('run_2'), reportMessage('run_2', 'chg_2')]);

    expect(await measure({ limit: 25, run_id: 'run_1' })).toMatchObject({ ids: { length: 1 }, rows: 3 });
    expect(await measure({ limit: 25, run_id: 'run_2' })).toMatchObject({ ids: { length: 2 }, rows: 8 });
  });

  async function storedOf(run: string): Promise<readonly Delivery[]> {
    const given = { after: null, limit: 100, matches: null };
    const { rows } = await readDeliveries(current(), buildEndpoint(), given);
    return rows.filter(({ event }) => event.runId === run);
  }
});

it('deliveries of all endpoints are not all read for one page, and are those of the asked times', async () => {
  const endpoints = [1, 2, 8].map((deliveryPartitions) =>
    buildEndpoint({ id: `whe_${deliveryPartitions}`, deliveryPartitions }),
  );
  const deliveries = Array.from({ length: 100 }, (_, time) =>
    endpoints.map(({ id, deliveryPartitions }) => {
      const entropy = digest(id, String(time));
      return buildDelivery({
        id: deliveryId(startOfTest + time, entropy, deliveryPartitions),
        webhookId: id,
      });
    }),
  ).flat();
  await current().putEndpoints(...endpoints);
  await current().putItems([{ ...slotsKey(customerId), webhooks: new Set(endpoints.map(({ id }) => id)) }]);
  await put(deliveries);
  const ports = { cursors, table: current() };
  const list = async (range: object) => {
    const { rows } = await listAllDeliveries(ports)(customerId, { limit: 25, ...range });
    return rows.map(({ id }) => id);
  };

  current().takeReadRows();
  expect(await list({})).toEqual(newestFirst(deliveries).slice(0, 25));
  expect(current().takeReadRows()).toBe(110);
  expect(await list({ status: 'failed' })).toEqual([]);
  expect(current().takeReadRows()).toBe(166);
  const range = { created_after: startOfTest + 2, created_before: startOfTest + 8 };
  expect(await list(range)).toEqual(newestFirst(deliveries.slice(6, 24)));
});
