import { expect, it } from 'vitest';
import { listEndpointsSince, readAuditedReplay } from '#shared/aws/table/audit-reads.ts';
import { storeBulkReplay } from '#shared/aws/table/bulk-replays.ts';
import { deleteEndpoint, reserveEndpoint } from '#shared/aws/table/endpoint-slots.ts';
import { newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { backoff, useTable } from '../support/aws/table.ts';
import { buildDelivery, buildEndpoint, customerId, hour, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

let endpoints = 0;

async function register(): Promise<string> {
  endpoints += 1;
  const id = makeId('webhook', startOfTest, digest('audit cost', String(endpoints)));
  await reserveEndpoint(current(), backoff)(
    buildEndpoint({ id }),
    buildDelivery({ webhookId: id }, endpoints),
  );
  return id;
}

async function rowsOf(read: () => Promise<unknown>): Promise<number> {
  current().takeReadRows();
  await read();
  return current().takeReadRows();
}

it('an audit reads no endpoint that was deleted before its time', async () => {
  const list = () => listEndpointsSince(current())(customerId, startOfTest);
  await register();
  for (const deletedAt of [startOfTest - hour, startOfTest - 1, startOfTest - 1, startOfTest + hour]) {
    await deleteEndpoint(current(), backoff)(customerId, await register(), deletedAt);
  }

  expect(await rowsOf(list)).toBe(2);
});

it('an audit reads no row of the bulk replays of an endpoint while none runs, and two while one does', async () => {
  const webhookId = await register();
  const read = () => readAuditedReplay(current())({ customerId, id: webhookId, deliveryPartitions: 1 });
  const selection = { status: 'failed', createdAfter: 0, createdBefore: startOfTest } as const;
  const requestedBy = { by: 'operator', note: null } as const;
  const given = { customerId, webhookId, selection, rate: 1, requestedBy };

  const idle = await rowsOf(read);
  await storeBulkReplay(current(), backoff)(newBulkReplay(given, startOfTest, digest(webhookId)));

  expect([idle, await rowsOf(read)]).toEqual([0, 2]);
});
