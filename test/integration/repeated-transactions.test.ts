import { expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { readDelivery, storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { activateEndpoint, readLiveEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { readBulkReplay, readRunningReplay, storeBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { storeReplay } from '#shared/aws/table/replays/store-replay.ts';
import { replayOf } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { losingTable } from '../support/aws/losing-table.ts';
import { useTable } from '../support/aws/table.ts';
import {
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';

/**
 * DynamoDB does a transaction once for each request token, and answers a repetition as it answered the first. The client
 * keeps the token when it repeats a request; a caller that repeats the call names the token.
 */
const { current } = useTable();

const original = buildDelivery({ status: 'failed', attempts: 3, endedAt: startOfTest });
const replay = replayOf(original, deliveryId(startOfTest + 1, digest('replay'), 1));
const store = (table: Table) => storeReplay(table, replay, startOfTest, original);
const job = buildBulkReplay();

it('a replay that its caller stores again is done once, and told as stored both times', async () => {
  await storeDelivery(current(), original, null);

  expect([await store(current()), await store(current())]).toEqual([true, true]);

  expect(await readDelivery(current(), original)).toMatchObject({ replayedBy: replay.id });
});

it('a replay that its caller stores again at another time is done once, and told as stored both times', async () => {
  await storeDelivery(current(), original, null);
  const storeAt = (time: number) => storeReplay(current(), replay, time, null);

  expect([await storeAt(startOfTest), await storeAt(startOfTest + 1)]).toEqual([true, true]);

  expect(await readDelivery(current(), original)).toMatchObject({ replayedBy: replay.id });
});

it('a bulk replay that its caller stores again is done once, and told as stored both times', async () => {
  const store = () => storeBulkReplay(current(), job);

  expect([await store(), await store()]).toEqual([true, true]);

  expect(await readBulkReplay(current(), job)).toEqual(job);
});

it('a registration that its caller stores again does not undo what happened since', async () => {
  const endpoint = buildEndpoint({ status: 'failed', activatedAt: null });
  const reserve = () => reserveEndpoint(current(), endpoint, buildDelivery());
  await reserve();
  await activateEndpoint(current(), customerId, webhookId, startOfTest + 1);

  expect(await reserve()).toBe('reserved');

  expect(await readLiveEndpoint(current(), customerId, webhookId)).toMatchObject({ status: 'active' });
});

it('a replay whose answer was lost is told as stored', async () => {
  await storeDelivery(current(), original, null);
  const { table, lost } = losingTable(current(), 'TransactWriteItems');

  expect(await store(table)).toBe(true);

  expect(lost()).toBe(1);
  expect(await readDelivery(current(), original)).toMatchObject({ replayedBy: replay.id });
});

it('a bulk replay whose answer was lost is told as stored', async () => {
  const { table, lost } = losingTable(current(), 'TransactWriteItems');

  expect(await storeBulkReplay(table, job)).toBe(true);

  expect(lost()).toBe(1);
  expect(await readRunningReplay(current(), customerId, webhookId)).toBe(job.id);
});
