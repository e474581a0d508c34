import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { storeCustomer } from '#shared/aws/table/customers.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { PostResult } from '#shared/domain/attempt.ts';
import { useTable } from '../support/aws/table.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import {
  acknowledged,
  buildEndpoint,
  customerId,
  hour,
  minute,
  rejected,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const endpoint = buildEndpoint();

beforeEach(async () => {
  const table = current();
  await storeCustomer(table)({ id: customerId, name: 'Customer', createdAt: startOfTest });
  const Item = { ...liveEndpointKey(customerId, endpoint.id), ...toEndpointItem(endpoint) };
  await table.client.put({ TableName: table.name, Item });
});

const settled = (number: number) =>
  intakeMessage.parse({
    type: 'run.settled',
    customer_id: customerId,
    run: {
      id: `run_${number}`,
      kind: 'creator_videos',
      status: 'completed',
      charge_usd: 0.25,
      created_at: '2026-11-20T11:59:00.000Z',
      settled_at: '2026-11-20T12:00:00.000Z',
    },
  });

/** A table that counts its calls, and the refused ones among them. */
function counting(table: Table) {
  const counts = { calls: 0, refused: 0 };
  const counted =
    <I, O>(send: (input: I) => Promise<O>) =>
    async (input: I): Promise<O> => {
      counts.calls += 1;
      try {
        return await send(input);
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) counts.refused += 1;
        throw error;
      }
    };
  const { client } = table;
  const operations = {
    get: counted(client.get),
    put: counted(client.put),
    update: counted(client.update),
    query: counted(client.query),
  };
  return { counts, table: { ...table, client: { ...client, ...operations } } };
}

/** One intake and one delivery function, which met the customer before. Starts an hour after the registration. */
async function openWorld(answer: PostResult) {
  const { counts, table } = counting(current());
  const worker = tableDelivering(table, async () => answer, startOfTest);
  const intake = tableIntake(table, worker.clock.now, () => {});
  await intake.accept([
    intakeMessage.parse({ type: 'tracker.saved', customer_id: customerId, tracker: trackerOf('trk_1') }),
  ]);
  worker.clock.pass(hour);
  const take = () => {
    const taken = {
      ...counts,
      writeUnits: current().takeWriteUnits(),
      readUnits: current().takeReadUnits(),
    };
    Object.assign(counts, { calls: 0, refused: 0 });
    return taken;
  };
  take();
  return { worker, intake, take };
}

const trackerOf = (id: string) => ({
  id,
  kind: 'creator_videos',
  status: 'active',
  created_at: '2026-11-20T11:59:00.000Z',
});

describe('what an event costs, counted in calls and units of the table', () => {
  it('is 6 calls, 5 write units and 2 read units for one event, and no refused write', async () => {
    const { worker, intake, take } = await openWorld(acknowledged);

    for (const number of [1, 2, 3]) {
      await intake.accept([settled(number)]);
      await worker.deliver(intake.queued.splice(0));
      expect(take()).toEqual({ calls: 6, refused: 0, writeUnits: 5, readUnits: 2 });
      worker.clock.pass(10 * minute);
    }
  });

  it('is 42 calls, 50 write units and 2 read units for ten events in one batch, and no refused write', async () => {
    const { worker, intake, take } = await openWorld(acknowledged);

    await intake.accept(Array.from({ length: 10 }, (_, number) => settled(number)));
    await worker.deliver(intake.queued);

    expect(take()).toEqual({ calls: 42, refused: 0, writeUnits: 50, readUnits: 2 });
  });

  it('is 5 write units for each event of a burst that many workers deliver, and no refused write', async () => {
    const { worker, intake, take } = await openWorld(acknowledged);

    await intake.accept(Array.from({ length: 10 }, (_, number) => settled(number)));
    await Promise.all(intake.queued.map((due) => worker.deliver([due])));

    expect(take()).toMatchObject({ refused: 0, writeUnits: 50 });
  });

  it('is 13 write units and 2 schedules for an event that fails three times, and no refused write', async () => {
    const { worker, intake, take } = await openWorld(rejected);

    await intake.accept([settled(1)]);
    await worker.deliver(intake.queued);
    for (const wait of [10 * minute, 50 * minute]) {
      worker.clock.pass(wait);
      await worker.deliver(worker.scheduled.slice(-1));
    }

    expect(worker.scheduled).toHaveLength(2);
    expect(take()).toMatchObject({ refused: 0, writeUnits: 13 });
  });
});
