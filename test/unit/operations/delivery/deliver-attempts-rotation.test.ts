import { describe, expect, it } from 'vitest';
import { overlapEnd, readingLasts } from '#shared/domain/endpoint.ts';
import type { SentRequest } from '../../../support/http/sent-request.ts';
import { Delivering, dueFor, type Given } from '../../../support/operations/delivering.ts';
import {
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  hour,
  sealedSecret,
  startOfTest,
} from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';
import { isAcceptedByAll } from '../../../support/values/verifiers.ts';

const before = buildEndpoint({ secret: sealedSecret(secretNamed('old')) });
const rotated = buildEndpoint({
  secret: sealedSecret(secretNamed('new')),
  previousSecret: sealedSecret(secretNamed('old')),
  previousSecretExpiresAt: overlapEnd(startOfTest),
});

/** A function that stays warm for the whole test; each delivery has one attempt. */
class WarmFunction extends Delivering {
  constructor(given: Given = {}) {
    super({ deliveries: [buildDelivery({}, 1), buildDelivery({}, 2)], endpoints: [before], ...given });
  }

  attempt(number: number) {
    return this.deliver(dueFor(1, { id: deliveryIdNumber(number) }));
  }
}

/** The names of the secrets that verify a POST in both formats, and the number of its signatures. */
function signedWith(post: SentRequest | undefined, sentAt: number): readonly [string, ...number[]] {
  const { headers = {}, body = new Uint8Array() } = post ?? {};
  const names = ['new', 'old'].filter((name) =>
    isAcceptedByAll({ headers, body }, secretNamed(name), sentAt),
  );
  const counts = ['X-Service-Signature', 'webhook-signature'].map(
    (name) => (headers[name] ?? '').split(/\bv1\b/).length - 1,
  );
  return [names.join(' '), ...new Set(counts)];
}

describe('deliverAttempts() in a warm function, after a rotation', () => {
  it.each([
    { after: 0, secrets: 'new old', values: 2 },
    { after: 24 * hour - 1, secrets: 'new old', values: 2 },
    { after: 24 * hour, secrets: 'new', values: 1 },
  ])('signs $values times $after ms later', async ({ after, secrets, values }) => {
    const world = new WarmFunction();
    await world.attempt(1);

    world.store.endpoints.put(rotated);
    world.clock.pass(after);
    await world.attempt(2);

    expect(signedWith(world.posts[0], startOfTest)).toEqual(['old', 1]);
    expect(signedWith(world.posts[1], startOfTest + after)).toEqual([secrets, values]);
  });

  it('signs with the secrets that are valid when the request begins, if opening the connection took longer than a reading lasts', async () => {
    const world = new WarmFunction({
      connecting: ({ store, clock }) => {
        store.endpoints.put(rotated);
        clock.pass(readingLasts + 1);
      },
    });

    await world.attempt(1);

    expect(signedWith(world.posts[0], startOfTest)).toEqual(['new old', 2]);
  });

  it('posts to the current URL, not to a cached one', async () => {
    const world = new WarmFunction();
    await world.attempt(1);

    world.store.endpoints.put({ ...before, url: 'https://moved.example.com/in' });
    await world.attempt(2);

    expect(world.posts.map(({ url }) => url)).toEqual([before.url, 'https://moved.example.com/in']);
  });
});
