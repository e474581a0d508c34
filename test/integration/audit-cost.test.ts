import { describe, expect, it } from 'vitest';
import { listEndpointsSince, readAuditedReplay } from '#shared/aws/table/audit-reads.ts';
import { storeBulkReplay } from '#shared/aws/table/bulk-replays.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { deletionInput } from '#shared/aws/table/endpoint-slots.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { useTable } from '../support/aws/table.ts';
import { buildEndpoint, customerId, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const hour = 60 * 60_000;
const endpointMadeAt = (time: number) =>
  buildEndpoint({ id: makeId('webhook', time, digest(String(time))), createdAt: time });

/** Writes the tombstones that `count` deletions left, one a second, until a time. */
async function storeDeletions(count: number, until: number): Promise<readonly string[]> {
  const endpoints = Array.from({ length: count }, (_, number) => endpointMadeAt(until - number * 1000));
  const rows = endpoints.flatMap((endpoint) =>
    (deletionInput(current().name, endpoint, endpoint.createdAt).TransactItems ?? []).flatMap(({ Put }) =>
      Put === undefined ? [] : [{ PutRequest: { Item: Put.Item } }],
    ),
  );
  await write(rows);
  return endpoints.map(({ id }) => id);
}

async function write(rows: readonly { readonly PutRequest: { readonly Item: object | undefined } }[]) {
  for (let start = 0; start < rows.length; start += 25) {
    const RequestItems = {
      [current().name]: rows.slice(start, start + 25).map(({ PutRequest: { Item } }) => ({
        PutRequest: { Item: { ...Item } },
      })),
    };
    await current().client.batchWrite({ RequestItems });
  }
}

describe('what the audit reads of the endpoints of a customer', () => {
  it('an audit reads no endpoint that was deleted before its time', async () => {
    const live = endpointMadeAt(startOfTest - 100 * hour);
    const Item = { ...liveEndpointKey(customerId, live.id), ...toEndpointItem(live) };
    await write([{ PutRequest: { Item } }]);
    const list = async () => {
      current().takeReadRows();
      const found = await listEndpointsSince(current())(customerId, startOfTest);
      return { ids: found.map(({ id }) => id).toSorted(), rows: current().takeReadRows() };
    };

    const before = await list();
    await storeDeletions(60, startOfTest - 1);
    const after = await list();
    const since = await storeDeletions(3, startOfTest + hour);
    const withRecent = await list();

    expect(before).toEqual({ ids: [live.id], rows: 1 });
    expect(after).toEqual(before);
    expect(withRecent).toEqual({ ids: [live.id, ...since].toSorted(), rows: 4 });
  });
});

describe('what the audit reads of the bulk replays of an endpoint', () => {
  it('an audit reads no row while no bulk replay runs, and two while one does', async () => {
    const { id: webhookId } = endpointMadeAt(startOfTest);
    const selection = { status: 'failed', createdAfter: 0, createdBefore: startOfTest } as const;
    const requestedBy = { by: 'operator', note: null } as const;
    const job = newBulkReplay(
      { customerId, webhookId, selection, rate: 1, requestedBy },
      startOfTest,
      digest(webhookId),
    );
    const rowsRead = async () => {
      current().takeReadRows();
      await readAuditedReplay(current())({ customerId, id: webhookId, deliveryPartitions: 1 });
      return current().takeReadRows();
    };

    const idle = await rowsRead();
    await storeBulkReplay(current(), { wait: async () => {}, random: () => 0 })(job);
    const running = await rowsRead();

    expect([idle, running]).toEqual([0, 2]);
  });
});
