import { describe, expect, it } from 'vitest';
import { presentHeaders } from '#shared/contract/records/delivery.ts';
import { overlapEnd } from '#shared/domain/endpoint.ts';
import { type EventType, eventTypes } from '#shared/domain/event.ts';
import { bodies as storyBodies } from '../../../site/openapi/schemas/event-schemas.ts';
import { type CapturedPost, capturePosts } from '../../support/http/captured-posts.ts';
import { ok, usePostWorld } from '../../support/http/post-world.ts';
import { Delivering, dueFor } from '../../support/operations/delivering.ts';
import {
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  eventId,
  minute,
  sealedSecret,
  startOfTest,
} from '../../support/values/builders.ts';
import { secretNamed } from '../../support/values/secret-named.ts';
import { acceptedBy, verifierNames } from '../../support/values/verifiers.ts';

const world = await usePostWorld();

/** The body of each type, with letters outside ASCII and a number that JSON writes with an exponent. */
const bodies = Object.fromEntries(
  Object.entries(storyBodies).map(([type, body]) => [
    type,
    JSON.stringify({ ...JSON.parse(body), id: eventId, kind: 'Überprüfung 🎬', charge_usd: 1e-7 }),
  ]),
);

const [newSecret, oldSecret, foreignSecret] = [secretNamed('new'), secretNamed('old'), secretNamed('foreign')];
const rotation = {
  secret: sealedSecret(newSecret),
  previousSecret: sealedSecret(oldSecret),
  previousSecretExpiresAt: overlapEnd(startOfTest),
};
const unavailable = 'HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n';

/** The POSTs of two attempts, ten minutes apart, of an event that the receiver refuses once. */
async function twoAttempts(type: EventType, standardWebhooks = true): Promise<readonly CapturedPost[]> {
  const { port, url, posts } = await capturePosts(world, (number) => (number === 1 ? unavailable : ok));
  // A test event comes to the queue as a replay only.
  const replayOf = type === 'webhook.test' ? deliveryIdNumber(9) : null;
  const delivering = new Delivering({
    deliveries: [buildDelivery({ body: bodies[type] ?? '', replayOf })],
    endpoints: [buildEndpoint({ url, ...rotation })],
    deps: () => ({ postEvent: world.postEvent(port), standardWebhooks }),
  });
  await delivering.deliver(dueFor(1));
  delivering.clock.pass(11 * minute);
  await delivering.deliver(dueFor(2));
  return posts;
}

/** What is true of one POST, seen when it arrived. */
function checked(post: CapturedPost, at: number) {
  const acceptedWith = (secret: string, changed: Partial<CapturedPost> = {}, later = 0) =>
    acceptedBy({ ...post, ...changed }, secret, at + later);
  const withHeader = (name: string, value: string) => ({ headers: { ...post.headers, [name]: value } });
  const changedBody = Buffer.from(post.body);
  changedBody.writeUInt8(changedBody.readUInt8(10) ^ 1, 10);
  return {
    newSecret: acceptedWith(newSecret),
    oldSecret: acceptedWith(oldSecret),
    fiveMinutesLater: acceptedWith(newSecret, {}, 300_000 - 500),
    foreignSecret: acceptedWith(foreignSecret),
    changedBody: acceptedWith(newSecret, { body: changedBody }),
    cutBody: acceptedWith(newSecret, { body: post.body.subarray(0, -1) }),
    tooLate: acceptedWith(newSecret, {}, 301_000),
    tooEarly: acceptedWith(newSecret, {}, -302_000),
    otherEvent: acceptedWith(newSecret, withHeader('webhook-id', 'evt_other')),
    otherTime: acceptedWith(newSecret, withHeader('webhook-timestamp', String(Math.floor(at / 1000) + 1))),
  };
}

describe('the deliveries of one event, as their bytes arrive during a rotation', () => {
  it.each(eventTypes)(
    '%s passes three verifiers with either secret, with one webhook-id and a time for each attempt, and nothing else does',
    async (type) => {
      const posts = await twoAttempts(type);

      const seen = posts.map((post, index) => checked(post, startOfTest + index * 11 * minute));

      expect(posts.map(({ body }) => body.toString())).toEqual([bodies[type], bodies[type]]);
      const expected = {
        newSecret: verifierNames,
        oldSecret: verifierNames,
        fiveMinutesLater: verifierNames,
        foreignSecret: [],
        changedBody: [],
        cutBody: [],
        tooLate: [],
        // The package of Stripe accepts a time in the future.
        tooEarly: ['stripe'],
        // The signature of the other format covers neither of these headers.
        otherEvent: ['stripe'],
        otherTime: ['stripe'],
      };
      expect(seen).toEqual([expected, expected]);
      const second = Math.floor(startOfTest / 1000);
      expect(
        posts.map(({ headers }) => [
          headers['webhook-id'],
          headers['X-Service-Event-Id'],
          headers['webhook-timestamp'],
          headers['X-Service-Signature']?.split(',')[0],
        ]),
      ).toEqual([second, second + 660].map((time) => [eventId, eventId, String(time), `t=${time}`]));
    },
  );
});

describe('the headers of a delivery that the API shows', () => {
  /** The HTTP client adds them: a receiver behind a proxy gets others. */
  const ofConnection = ['Host', 'Accept', 'Accept-Encoding', 'Content-Length', 'Connection'];

  it.each(eventTypes.flatMap((type) => [[type, true] as const, [type, false] as const]))(
    'are those of each request, in order, for %s with standardWebhooks=%s',
    async (type, standardWebhooks) => {
      const posts = await twoAttempts(type, standardWebhooks);
      const event = { id: eventId, type };

      const shown = presentHeaders({ serviceName: 'Service', standardWebhooks }, { event });

      expect(posts).toHaveLength(2);
      for (const { headers } of posts) {
        const sent = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
        expect(sent.map(([name]) => name)).toEqual(shown.map(({ name }) => name));
        const constant = shown.filter(({ value }) => value !== null);
        expect(sent).toEqual(expect.arrayContaining(constant.map(({ name, value }) => [name, value])));
      }
      const [first, second] = posts;
      const changing = shown.filter(({ name }) => first?.headers[name] !== second?.headers[name]);
      expect(changing).toEqual(shown.filter(({ value }) => value === null));
    },
  );
});
