import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { DecryptSecret } from '#shared/operations/ports.ts';
import { Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  openSealed,
  otherWebhookId,
  rejected,
  webhookId,
} from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';

const second = { id: deliveryIdNumber(2) };
const elsewhere = { id: deliveryIdNumber(3), webhookId: otherWebhookId };
const endpoints = [buildEndpoint(), buildEndpoint({ id: otherWebhookId, url: 'https://other.example.com/' })];
/** Two deliveries at one endpoint, and one at another. */
const three: Given = { deliveries: [{}, second, elsewhere].map((given) => buildDelivery(given)), endpoints };

/** Opens the secret of the other endpoint in this way. */
const openingOther = (open: () => Promise<string>) => (): { readonly decryptSecret: DecryptSecret } => ({
  decryptSecret: (sealed, context) => (context.webhookId === otherWebhookId ? open() : openSealed(sealed, context)),
});

describe('deliverAttempts() about a batch', () => {
  it('reads each endpoint and decrypts its secret once', async () => {
    const opened: string[] = [];
    const decryptSecret: DecryptSecret = (sealed, context) => {
      opened.push(context.webhookId);
      return openSealed(sealed, context);
    };

    const { reads, posts } = await outcomeOf(
      { ...three, deps: () => ({ decryptSecret }) },
      ...[dueFor(), dueFor(1, second), dueFor(1, elsewhere)],
    );

    expect([reads, opened]).toEqual([2, [webhookId, otherWebhookId]]);
    expect(posts).toHaveLength(3);
  });

  it('posts to the endpoints of a batch in parallel', async () => {
    const everyone = Promise.withResolvers<PostResult>();
    const receiver: Given['receiver'] = ({ posts }) => {
      if (posts.length === 2) everyone.resolve(acknowledged);
      return everyone.promise;
    };
    const batch = [dueFor(), dueFor(1, elsewhere)];

    expect((await outcomeOf({ ...three, receiver }, ...batch)).results).toEqual(['done', 'done']);
  });

  it.each<[string, PostResult]>([
    ['answers', acknowledged],
    ['drops each connection at once', { ...rejected, outcome: 'connection_failed', responseStatus: null }],
  ])('posts once to an endpoint of which it knows nothing and that %s, and then more at once', async (_, result) => {
    const deliveries = Array.from({ length: 10 }, (_, number) => buildDelivery({}, number));
    const underWay: number[] = [];
    let count = 0;
    const receiver: Given['receiver'] = async () => {
      count += 1;
      underWay.push(count);
      await nextTurn();
      count -= 1;
      return result;
    };

    const { results } = await outcomeOf({ deliveries, receiver }, ...deliveries.map((delivery) => dueFor(1, delivery)));

    expect(results).toEqual(Array(10).fill('done'));
    expect(underWay.slice(0, 3)).toEqual([1, 1, 2]);
    expect(Math.max(...underWay)).toBeGreaterThan(3);
    for (const [before, current] of underWay.entries()) expect(current).toBeLessThanOrEqual(before + 1);
  });

  it('remembers in later batches how an endpoint answers', async () => {
    const deliveries = Array.from({ length: 6 }, (_, number) => buildDelivery({}, number));
    const [first = [], later = []] = [deliveries.slice(0, 3), deliveries.slice(3)].map((batch) =>
      batch.map((delivery) => dueFor(1, delivery)),
    );
    const world = new Delivering({ deliveries, receiver: () => nextTurn().then(() => acknowledged) });
    await world.deliver(...first);
    const everyone = Promise.withResolvers<void>();

    const ended = world.deliver(...later);
    const seen = () => (world.posts.length === 6 ? everyone.resolve() : setImmediate(seen));
    seen();
    await everyone.promise;

    expect(await ended).toEqual(['done', 'done', 'done']);
  });

  it('processes the other messages when one fails, and keeps the order of results', async () => {
    const world = new Delivering({
      ...three,
      receiver: (_, { url }) => (url.includes('other') ? Promise.reject(new Error('broken')) : acknowledged),
    });

    const results = await world.deliver(dueFor(1, elsewhere), dueFor(), dueFor(1, second));

    expect(results).toEqual(['retry', 'done', 'done']);
    const statuses = world.store.deliveries.all().map(({ status }) => status);
    expect(statuses).toEqual(['delivered', 'delivered', 'pending']);
  });

  it('holds back only the endpoint whose secret cannot be opened', async () => {
    const world = new Delivering({ ...three, deps: openingOther(() => Promise.reject(new Error('denied'))) });

    const results = await world.deliver(dueFor(), dueFor(1, elsewhere), dueFor(1, second));

    expect(results).toEqual(['done', 'retry', 'done']);
    expect(world.store.deliveries.get(elsewhere.id)).toMatchObject({ attempts: 0 });
  });

  it('attempts one endpoint while the key service does not respond for another', async () => {
    const silence = Promise.withResolvers<string>();
    const receiver = () => {
      silence.resolve(secretNamed('late'));
      return acknowledged;
    };
    const given = { ...three, receiver, deps: openingOther(() => silence.promise) };

    const { results, posts } = await outcomeOf(given, dueFor(1, elsewhere), dueFor());

    expect(results).toEqual(['done', 'done']);
    expect(posts.map(({ url }) => url)).toEqual(endpoints.map(({ url }) => url));
  });

  it('claims an attempt once when its message arrives twice', async () => {
    const { results, posts } = await outcomeOf({}, dueFor(), dueFor());

    expect(results).toEqual(['done', 'done']);
    expect(posts).toHaveLength(1);
  });

  it('accepts an empty batch', async () => {
    expect(await new Delivering().deliver()).toEqual([]);
  });
});
