import { describe, expect, it } from 'vitest';
import { changeSettles } from '#shared/domain/endpoint.ts';
import { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import { customerId, startOfTest, webhookId } from '../../../support/values/builders.ts';

/** Deletes an endpoint; `steps` are what happened, in order. */
function createWorld(isThere: boolean) {
  const steps: unknown[] = [];
  const remove = deleteWebhook({
    now: () => startOfTest,
    deleteEndpoint: async (...key) => {
      steps.push(key);
      return isThere;
    },
    wait: async (milliseconds) => void steps.push(milliseconds),
  });
  return { steps, remove: () => remove(customerId, webhookId) };
}

describe('deleteWebhook()', () => {
  it('deletes the endpoint, and returns when no worker acts on an earlier read', async () => {
    const { steps, remove } = createWorld(true);

    await expect(remove()).resolves.toBeUndefined();
    expect(steps).toEqual([[customerId, webhookId, startOfTest], changeSettles]);
  });

  it('answers not_found as late, since the endpoint may have been deleted a moment ago', async () => {
    const { steps, remove } = createWorld(false);

    await expect(remove()).rejects.toMatchObject({ code: 'not_found', status: 404 });
    expect(steps).toEqual([[customerId, webhookId, startOfTest], changeSettles]);
  });
});
