import { describe, expect, it } from 'vitest';
import { changeSettles, type Endpoint } from '#shared/domain/endpoint.ts';
import { type Rotation, rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { countingBytes, createReports } from '../../../support/operations/deps.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  hour,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

function createWorld(
  endpoints: readonly Endpoint[],
  given: Partial<Parameters<typeof rotateSecret>[0]> = {},
) {
  const { ports, deliveries } = memoryStore({ endpoints });
  const reports = createReports();
  const rotations: Rotation[] = [];
  const waits: number[] = [];
  const rotate = rotateSecret({
    now: () => startOfTest,
    wait: async (milliseconds) => void waits.push(milliseconds),
    randomBytes: countingBytes(),
    encryptSecret: async (secret, context) => `${context.customerId}:${context.webhookId}:${secret}`,
    replaceSecret: async (rotation) => {
      rotations.push(rotation);
      return ports.replaceSecret(rotation);
    },
    readAttemptTimes: ports.readAttemptTimes,
    report: reports.report,
    ...given,
  });
  return {
    rotations,
    waits,
    deliveries,
    events: reports.events,
    rotate: () => rotate(customerId, webhookId),
  };
}

describe('rotateSecret()', () => {
  it('makes a new secret, stores it encrypted, and keeps the old one valid for 24 hours', async () => {
    const world = createWorld([buildEndpoint()]);

    const { secret, overlapEnd, endpoint } = await world.rotate();

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(overlapEnd).toBe(startOfTest + 24 * hour);
    expect(world.rotations).toEqual([
      {
        customerId,
        webhookId,
        secret: `${customerId}:${webhookId}:${secret}`,
        secretPrefix: secret.slice(0, 12),
        at: startOfTest,
        overlapEnd: startOfTest + 24 * hour,
      },
    ]);
    expect(endpoint).toMatchObject({
      secret: world.rotations[0]?.secret,
      previousSecret: buildEndpoint().secret,
      previousSecretExpiresAt: overlapEnd,
    });
  });

  it('returns when no worker can sign with an earlier read', async () => {
    const world = createWorld([buildEndpoint()]);

    await world.rotate();

    expect(world.waits).toEqual([changeSettles]);
  });

  it('shows the endpoint with the time of its newest delivery', async () => {
    const world = createWorld([buildEndpoint()]);
    world.deliveries.put(buildDelivery({ attempts: 1, lastAttemptAt: startOfTest + 5000 }));

    expect((await world.rotate()).endpoint.lastDeliveryAt).toBe(startOfTest + 5000);
  });

  it('shows the new secret when the time of the last delivery cannot be read', async () => {
    const world = createWorld([buildEndpoint()], {
      readAttemptTimes: () => Promise.reject(new Error('throttled')),
    });

    const { secret, endpoint } = await world.rotate();

    expect(secret).toMatch(/^whsec_/);
    expect(endpoint.lastDeliveryAt).toBe(startOfTest);
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'read-last-delivery' }]);
  });

  it('answers not_found when there is no live endpoint', async () => {
    await expect(createWorld([]).rotate()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('answers webhook_rotation_in_progress while the overlap is open, with its end', async () => {
    const rotated = buildEndpoint({ previousSecret: 'old', previousSecretExpiresAt: startOfTest + 1 });

    await expect(createWorld([rotated]).rotate()).rejects.toMatchObject({
      code: 'webhook_rotation_in_progress',
      status: 409,
      members: { overlap_expires_at: '2026-11-20T12:00:00.501Z' },
    });
  });

  it.each([
    ['failed its handshake', buildEndpoint({ status: 'failed' })],
    [
      'failed, even with an open overlap',
      buildEndpoint({ status: 'failed', previousSecretExpiresAt: startOfTest + 1 }),
    ],
  ])('answers webhook_not_active when the endpoint %s', async (_, endpoint) => {
    await expect(createWorld([endpoint]).rotate()).rejects.toMatchObject({
      code: 'webhook_not_active',
      status: 409,
      detail: expect.stringContaining(`\`DELETE /v1/webhooks/${endpoint.id}\``),
    });
  });
});
