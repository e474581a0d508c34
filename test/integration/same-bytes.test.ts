import { afterEach, beforeAll, expect, it } from 'vitest';
import { readDelivery, storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { deliveryKey } from '#shared/aws/table/keys.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { useTable } from '../support/aws/table.ts';
import { capturePosts } from '../support/http/captured-posts.ts';
import { createPostWorld, type PostWorld } from '../support/http/post-world.ts';
import { dueFor } from '../support/operations/delivering.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { buildDelivery, buildEndpoint, startOfTest } from '../support/values/builders.ts';
import { secretNamed } from '../support/values/secret-named.ts';
import { isAcceptedByAll, type Received } from '../support/values/verifiers.ts';

const { current } = useTable();
let world: PostWorld;
beforeAll(async () => {
  world = await createPostWorld();
});
afterEach(() => world.close());

/** Texts that change when anything between storage and socket reads them as JSON, as numbers or as Latin-1. */
const members: readonly (readonly [string, string])[] = [
  ['numbers beyond a double', '"charge_usd":1e21,"n":9007199254740993,"m":12345678901234567890.123456789'],
  ['numbers in other spellings', '"a":1.0,"b":-0,"c":1E+2,"d":0.10'],
  ['members in an order of their own, one of them twice', '"z":1,"a":2,"10":3,"9":4,"z":5'],
  ['letters beyond ASCII', '"kind":"Überprüfung, 検査, проверка, 🎬👩‍👧, e\u0301\u2028"'],
  ['escapes that need not be', '"kind":"\\u0041\\/\\u00fc\\ud83c\\udfac"'],
  ['white space', '"a" : [ 1,\r\n\t2 ] , "b":{ } '],
];
const tiny = ['0', '{}', '""', 'ü', '🎬'];

const isAccepted = (post: Received) => isAcceptedByAll(post, secretNamed('current'), startOfTest + 1000);

it.each(members)('a body is stored, signed and posted as the same bytes: %s', async (_, text) => {
  const body = `{"id":"evt_1","type":"run.completed",${text}}`;
  const { port, url, posts } = await capturePosts(world);
  await current().putEndpoints(buildEndpoint({ url }));
  const delivery = buildDelivery({ body });
  await storeDelivery(current(), delivery, null);
  const worker = tableDelivering(current(), world.client(port), startOfTest + 1000);

  await worker.deliver([dueFor(1, delivery)]);

  expect(await readDelivery(current(), delivery)).toMatchObject({ status: 'delivered', body });
  expect(posts.map((post) => post.body.toString('hex'))).toEqual([Buffer.from(body).toString('hex')]);
  expect(posts.map(isAccepted)).toEqual([true]);
});

it.each(tiny)('a body of a few bytes is stored, signed and posted as the same bytes: %j', async (text) => {
  const delivery = { ...buildDelivery(), body: text };
  await storeDelivery(current(), delivery, null);
  // As it is stored: no delivery is made of a text that is no event.
  const stored = await current().readItem(deliveryKey(delivery));
  const body = Buffer.from(String(stored.body));
  const { port, url, posts } = await capturePosts(world);
  const secrets = [secretNamed('current')];
  const sentAt = startOfTest + 1000;

  const result = await world.client(port)({
    webhookId: 'whe_1',
    url,
    headers: {
      'X-Service-Signature': signatureHeader(secrets, body, sentAt),
      ...standardHeaders(secrets, 'evt_1', body, sentAt),
    },
    body,
  });

  expect(result.outcome).toBe('acknowledged');
  expect(posts.map((post) => post.body.toString())).toEqual([text]);
  expect(posts.map(isAccepted)).toEqual([true]);
});
