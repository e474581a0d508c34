import { describe, expect, it } from 'vitest';
import { changeSettles, type Endpoint } from '#shared/domain/endpoint.ts';
import { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildEndpoint, customerId, startOfTest, webhookId } from '../../../support/values/builders.ts';

/** Deletes an endpoint; `steps` are its actions in order. */
function createWorld(...endpoints: readonly Endpoint[]) {
  const { ports } = recordStore({ endpoints });
  const steps: unknown[] = [];
  const remove = deleteWebhook({
    now: () => startOfTest,
    deleteEndpoint: async (...key) => {
      steps.push(key);
      return ports.deleteEndpoint(...key);
    },
    wait: async (milliseconds) => void steps.push(milliseconds),
  });
  return { ports, steps, remove: () => remove(customerId, webhookId) };
}

describe('deleteWebhook()', () => {
  it('deletes the endpoint, and returns when no worker can act on an earlier read', async () => {
    const { ports, steps, remove } = createWorld(buildEndpoint());

    await expect(remove()).resolves.toBeUndefined();
    expect(await ports.readLiveEndpoint(customerId, webhookId)).toBeNull();
    expect(steps).toEqual([[customerId, webhookId, startOfTest], changeSettles]);
  });

  it('answers not_found after the same wait, as the endpoint may have been deleted a moment ago', async () => {
    const { steps, remove } = createWorld();

    await expect(remove()).rejects.toMatchObject({ code: 'not_found', status: 404 });
    expect(steps).toEqual([[customerId, webhookId, startOfTest], changeSettles]);
  });
});
