import { describe, expect, it } from 'vitest';
import { changeSettles, type Endpoint } from '#shared/domain/endpoint.ts';
import { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { countingBytes, createReports } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  hour,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type Deps = Parameters<typeof rotateSecret>[0];

function createWorld(
  endpoints: readonly Endpoint[],
  given: Partial<Deps> = {},
  asking = (_request: string): void => {},
) {
  const steps: (string | number)[] = [];
  const { table, deliveries } = recordStore({
    endpoints,
    asking: (request) => {
      asking(request);
      if (request.startsWith('update')) steps.push(request);
    },
  });
  const { report, events } = createReports();
  const rotate = rotateSecret({
    table,
    now: () => startOfTest,
    wait: async (milliseconds) => void steps.push(milliseconds),
    randomBytes: countingBytes(),
    encryptSecret: async (secret, context) => `${context.customerId}:${context.webhookId}:${secret}`,
    report,
    ...given,
  });
  return { steps, deliveries, events, rotate: () => rotate(customerId, webhookId) };
}

describe('rotateSecret()', () => {
  it('stores a new secret encrypted, keeps the old one for 24 hours, and returns when no worker can sign with an earlier read', async () => {
    const world = createWorld([buildEndpoint()]);

    const { secret, overlapEnd, endpoint } = await world.rotate();

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(overlapEnd).toBe(startOfTest + 24 * hour);
    const encrypted = `${customerId}:${webhookId}:${secret}`;
    expect(world.steps).toEqual(['update CUS', changeSettles]);
    expect(endpoint).toMatchObject({
      secret: encrypted,
      secretPrefix: secret.slice(0, 12),
      previousSecret: buildEndpoint().secret,
      previousSecretExpiresAt: overlapEnd,
    });
  });

  it('shows the endpoint with the time of its newest delivery', async () => {
    const world = createWorld([buildEndpoint()]);
    world.deliveries.put(buildDelivery({ attempts: 1, lastAttemptAt: startOfTest + 5000 }));

    expect((await world.rotate()).endpoint.lastDeliveryAt).toBe(startOfTest + 5000);
  });

  it('shows the new secret when the time of the last delivery cannot be read', async () => {
    const world = createWorld([buildEndpoint()], {}, (request) => {
      if (request === 'query DLV') throw new Error('throttled');
    });

    expect(await world.rotate()).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      endpoint: { lastDeliveryAt: startOfTest },
    });
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'read-last-delivery' }]);
  });

  // conformance/checks has what is refused of a deleted endpoint, and within an overlap.
  it('says of a failed endpoint how to delete it, even with an open overlap', async () => {
    const open = { previousSecret: 'old', previousSecretExpiresAt: startOfTest + 1 };
    const detail = expect.stringContaining(`\`DELETE /v1/webhooks/${webhookId}\``);

    const rotated = createWorld([buildEndpoint({ status: 'failed', ...open })]).rotate();

    await expect(rotated).rejects.toMatchObject({ code: 'webhook_not_active', detail });
  });
});
