import { describe, expect, it } from 'vitest';
import { deleteWebhook } from '../../../shared/operations/delete-webhook.ts';
import { customerId, startOfTest, webhookId } from '../../support/builders.ts';

describe('deleteWebhook()', () => {
  it('entombs the endpoint of this customer', async () => {
    const entombed: unknown[] = [];
    const remove = deleteWebhook({
      entombEndpoint: async (...key) => entombed.push(key) > 0,
      now: () => startOfTest,
    });

    await expect(remove(customerId, webhookId)).resolves.toBeUndefined();
    expect(entombed).toEqual([[customerId, webhookId, startOfTest]]);
  });

  it('answers not_found when there is no live one, as after a first delete', async () => {
    const remove = deleteWebhook({ entombEndpoint: async () => false, now: () => startOfTest });

    await expect(remove(customerId, webhookId)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });
});
