import { describe, expect, it } from 'vitest';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import { listDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  deliveryIdNumber,
  eventId,
  handshakeBody,
  runBody,
  webhookId,
} from '../../../support/values/builders.ts';

/** The first one alone is of the moment of its event, by which the deliveries of an event are found. */
const deliveries = [
  buildDelivery({ status: 'failed', log: [buildLogEntry()] }, 0),
  buildDelivery({ body: runBody.replace('run_1', 'run_known') }, 1),
  buildDelivery({ status: 'failed', body: handshakeBody, log: [buildLogEntry({ responseStatus: null })] }, 2),
  buildDelivery({ body: handshakeBody }, 3),
  buildDelivery({ log: [buildLogEntry()] }, 4),
];

/** The numbers of the deliveries that are listed. */
async function listed(query: Partial<ListDeliveriesQuery>, endpoints = [buildEndpoint()]) {
  const { table } = recordStore({ deliveries, endpoints });
  const list = listDeliveries({ table, cursors });
  const { rows } = await list(customerId, webhookId, { limit: 7, ...query });
  return rows.map(({ id }) => deliveries.findIndex((each) => each.id === id));
}

// test/integration/find-deliveries.test.ts has the deliveries of a time, of an event and of a Run.
describe('listDeliveries()', () => {
  it.each<[Partial<ListDeliveriesQuery>, readonly number[]]>([
    [{}, [4, 3, 2, 1, 0]],
    [{ status: 'failed' }, [2, 0]],
    [{ status: 'pending' }, [4, 3, 1]],
    [{ status: 'retrying' }, [4]],
    [{ event_type: 'webhook.test' }, [3, 2]],
    [{ status: 'failed', event_type: 'webhook.test' }, [2]],
    [{ response_status: '5xx' }, [4, 0]],
    [{ response_status: 'none', event_type: 'webhook.test' }, [2]],
    [{ event_id: eventId, run_id: 'run_1' }, [0]],
    [{ event_id: eventId, run_id: 'run_known' }, []],
  ])('filters by %o', async (filter, numbers) => {
    expect(await listed(filter)).toEqual(numbers);
  });

  it('takes the cursors of earlier releases, which know two filters', async () => {
    const scope = ['deliveries', customerId, webhookId, 'failed', ''];
    const cursor = await cursors.seal(scope, deliveryIdNumber(2));

    expect(await listed({ status: 'failed', cursor })).toEqual([0]);
  });

  it('answers not_found for an endpoint that does not exist, before it checks the cursor', async () => {
    await expect(listed({ cursor: 'x' }, [])).rejects.toMatchObject({ code: 'not_found' });
  });
});
