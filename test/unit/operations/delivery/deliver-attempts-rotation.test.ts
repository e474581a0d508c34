import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { decryptSecret } from '#shared/aws/secret-cipher.ts';
import { overlapEnd, readingLasts } from '#shared/domain/endpoint.ts';
import type { SentRequest } from '../../../support/http/sent-request.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  hour,
  startOfTest,
} from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';
import { isAcceptedByAll } from '../../../support/values/verifiers.ts';

const seal = (secret: string) => Buffer.from(secret).toString('base64');
const before = buildEndpoint({ secret: seal(secretNamed('old')) });
const rotated = buildEndpoint({
  secret: seal(secretNamed('new')),
  previousSecret: seal(secretNamed('old')),
  previousSecretExpiresAt: overlapEnd(startOfTest),
});

/** A function that stays warm for the whole test, with its cache of secrets; each delivery has one attempt. */
function warmFunction(given: { readonly connecting?: () => void } = {}) {
  const kms = new KMSClient({ region: 'us-east-1' });
  mockClient(kms)
    .on(DecryptCommand)
    .callsFake(({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }));
  const open = decryptSecret(kms, 'key', {
    maxEntries: 100,
    timeToLive: 48 * hour,
    now: () => startOfTest,
    monotonic: () => 0,
  });
  const numbers = [1, 2, 3, 4, 5];
  const world = createDelivering({
    deliveries: numbers.map((number) => buildDelivery({ id: deliveryIdNumber(number) })),
    endpoints: [before],
    deps: { decryptSecret: open },
    ...given,
  });
  const attempt = (number: number) => world.deliver([dueFor(1, { id: deliveryIdNumber(number) })]);
  return { ...world, attempt };
}

/** The names of the secrets that verify a POST in both formats, and the number of its signatures. */
function signedWith(post: SentRequest | undefined, sentAt: number): readonly [string, number] {
  const { headers = {}, body = new Uint8Array() } = post ?? {};
  const found = ['new', 'old'].filter((name) =>
    isAcceptedByAll({ headers, body: Buffer.from(body) }, secretNamed(name), sentAt),
  );
  const counts = ['X-Service-Signature', 'webhook-signature'].map(
    (name) => (headers[name] ?? '').split(/\bv1\b/).length - 1,
  );
  expect(counts[0]).toBe(counts[1]);
  return [found.join(' '), counts[0] ?? 0];
}

describe('deliverAttempts() in a warm function, after a rotation', () => {
  it.each([
    { after: 0, secrets: 'new old', values: 2 },
    { after: 24 * hour - 1, secrets: 'new old', values: 2 },
    { after: 24 * hour, secrets: 'new', values: 1 },
    { after: 24 * hour + 1000, secrets: 'new', values: 1 },
  ])('signs $values times $after ms later', async ({ after, secrets, values }) => {
    const world = warmFunction();
    await world.attempt(1);

    world.endpoints.put(rotated);
    world.clock.pass(after);
    await world.attempt(2);

    expect(signedWith(world.posts[0], startOfTest)).toEqual(['old', 1]);
    expect(signedWith(world.posts[1], startOfTest + after)).toEqual([secrets, values]);
  });

  it('signs with the secrets that are valid when the request begins, if opening the connection took longer than a reading lasts', async () => {
    const world = warmFunction({
      connecting: () => {
        world.endpoints.put(rotated);
        world.clock.pass(readingLasts + 1);
      },
    });

    await world.attempt(1);

    expect(signedWith(world.posts[0], startOfTest)).toEqual(['new old', 2]);
  });

  it('posts to the current URL, not to a cached one', async () => {
    const world = warmFunction();
    await world.attempt(1);

    world.endpoints.put({ ...before, url: 'https://moved.example.com/in' });
    await world.attempt(2);

    expect(world.posts.map(({ url }) => url)).toEqual([before.url, 'https://moved.example.com/in']);
  });
});
