import { describe, expect, it } from 'vitest';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { DecryptSecret } from '#shared/operations/ports.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  openSealed,
  otherWebhookId,
  webhookId,
} from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';

describe('deliverAttempts() about a batch', () => {
  const second = { id: deliveryIdNumber(2) };
  const elsewhere = { id: deliveryIdNumber(3), webhookId: otherWebhookId };
  const three = [buildDelivery(), buildDelivery(second), buildDelivery(elsewhere)];
  const both = [buildEndpoint(), buildEndpoint({ id: otherWebhookId, url: 'https://other.example.com/' })];

  const all = [dueFor(), dueFor(1, second), dueFor(1, elsewhere)];

  it('reads each endpoint and decrypts its secret once', async () => {
    const opened: string[] = [];
    const decryptSecret: DecryptSecret = (sealed, context) => {
      opened.push(context.webhookId);
      return openSealed(sealed, context);
    };
    const world = createDelivering({ deliveries: three, endpoints: both, deps: { decryptSecret } });

    await world.deliver(all);

    expect(world.endpoints.reads).toEqual([webhookId, otherWebhookId]);
    expect(opened).toEqual([webhookId, otherWebhookId]);
    expect(world.posts).toHaveLength(3);
  });

  it('posts the attempts of a batch in parallel', async () => {
    let arrived = 0;
    const everyone = Promise.withResolvers<PostResult>();
    const world = createDelivering({
      deliveries: three,
      endpoints: both,
      receiver: () => {
        arrived += 1;
        if (arrived === 3) everyone.resolve(acknowledged);
        return everyone.promise;
      },
    });

    expect(await world.deliver(all)).toEqual(['done', 'done', 'done']);
  });

  it('processes the other messages when one fails, and keeps the order of results', async () => {
    const world = createDelivering({
      deliveries: three,
      endpoints: both,
      receiver: ({ url }) => (url.includes('other') ? Promise.reject(new Error('broken')) : acknowledged),
    });

    const results = await world.deliver([dueFor(1, elsewhere), dueFor(), dueFor(1, second)]);

    expect(results).toEqual(['retry', 'done', 'done']);
    expect(world.deliveries.all().map(({ status }) => status)).toEqual(['delivered', 'delivered', 'pending']);
  });

  it('holds back only the endpoint whose secret cannot be opened', async () => {
    const world = createDelivering({
      deliveries: three,
      endpoints: both,
      deps: {
        decryptSecret: (sealed, context) =>
          context.webhookId === otherWebhookId
            ? Promise.reject(new Error('denied'))
            : openSealed(sealed, context),
      },
    });

    const results = await world.deliver([dueFor(), dueFor(1, elsewhere), dueFor(1, second)]);

    expect(results).toEqual(['done', 'retry', 'done']);
    expect(world.deliveries.get(deliveryIdNumber(3))).toMatchObject({ attempts: 0 });
  });

  it('attempts one endpoint while the key service does not respond for another', async () => {
    const silence = Promise.withResolvers<string>();
    const world = createDelivering({
      deliveries: three,
      endpoints: both,
      receiver: () => {
        silence.resolve(secretNamed('late'));
        return acknowledged;
      },
      deps: {
        decryptSecret: (sealed, context) =>
          context.webhookId === otherWebhookId ? silence.promise : openSealed(sealed, context),
      },
    });

    const results = await world.deliver([dueFor(1, elsewhere), dueFor()]);

    expect(results).toEqual(['done', 'done']);
    expect(world.posts.map(({ url }) => url)).toEqual(both.map(({ url }) => url));
  });

  it('claims an attempt once when its message arrives twice', async () => {
    const world = createDelivering();

    expect(await world.deliver([dueFor(), dueFor()])).toEqual(['done', 'retry']);
    expect(world.posts).toHaveLength(1);
  });

  it('accepts an empty batch', async () => {
    expect(await createDelivering().deliver([])).toEqual([]);
  });
});
