import { describe, expect, it } from 'vitest';
import { changeSettles, type Endpoint } from '#shared/domain/endpoint.ts';
import { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildEndpoint, customerId, startOfTest, webhookId } from '../../../support/values/builders.ts';

/** Deletes an endpoint; `steps` are its requests and waits in order. */
function createWorld(...endpoints: readonly Endpoint[]) {
  const steps: unknown[] = [];
  const { ports, records } = recordStore({ endpoints, asking: (request) => void steps.push(request) });
  const { table } = ports;
  const wait = async (milliseconds: number) => void steps.push(milliseconds);
  const remove = deleteWebhook({ table, now: () => startOfTest, wait });
  return { ports, records, steps, remove: () => remove(customerId, webhookId) };
}

describe('deleteWebhook()', () => {
  it('deletes the endpoint, and returns when no worker can act on an earlier read', async () => {
    const { ports, records, steps, remove } = createWorld(buildEndpoint());

    await expect(remove()).resolves.toBeUndefined();
    expect(steps).toEqual(['get CUS', 'transaction', changeSettles]);
    expect(await ports.readLiveEndpoint(customerId, webhookId)).toBeNull();
    const deleted = expect.objectContaining({ status: 'deleted', deleted_at: startOfTest });
    expect(records.rows()).toContainEqual(deleted);
  });

  it('answers not_found after the same wait, as the endpoint may have been deleted a moment ago', async () => {
    const { steps, remove } = createWorld();

    await expect(remove()).rejects.toMatchObject({ code: 'not_found', status: 404 });
    expect(steps).toEqual(['get CUS', changeSettles]);
  });
});
