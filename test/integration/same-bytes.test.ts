import Stripe from 'stripe';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readDelivery, storeDelivery } from '#shared/aws/table/deliveries.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import { deliveryKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { signatureHeader } from '#shared/domain/signature.ts';
import { useTable } from '../support/aws/table.ts';
import { createPostWorld, ok, originOf, type PostWorld } from '../support/http/post-world.ts';
import { dueFor, tableDelivering } from '../support/operations/table-delivering.ts';
import {
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';

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

/** A receiver that acknowledges each POST once its body is there, and keeps what came after the head. */
async function startReceiver(bytes: number) {
  const bodies: { readonly signature: string; readonly body: Buffer }[] = [];
  let received = Buffer.alloc(0);
  const receiver = await world.receiver({
    onData: (socket) => {
      received = Buffer.concat(receiver.received.flat());
      const end = received.indexOf('\r\n\r\n') + 4;
      if (end < 4 || received.length < end + bytes) return;
      const signature = /x-service-signature: (\S+)/i.exec(received.subarray(0, end).toString())?.[1] ?? '';
      bodies.push({ signature, body: received.subarray(end) });
      socket.end(ok);
    },
  });
  return { receiver, bodies };
}

function isAccepted(signature: string, body: Buffer): boolean {
  const { signature: verifier } = Stripe.webhooks;
  return (
    verifier?.verifyHeader(body, signature, 'whsec_current', 300, undefined, startOfTest + 1000) ?? false
  );
}

describe('a body', () => {
  it.each(members)('a body is stored, signed and posted as the same bytes: %s', async (_, text) => {
    const body = `{"id":"evt_1","type":"run.completed",${text}}`;
    const { receiver, bodies } = await startReceiver(Buffer.byteLength(body));
    const endpoint = buildEndpoint({ url: `${originOf(receiver.port)}/hook` });
    const Item = { ...liveEndpointKey(customerId, webhookId), ...toEndpointItem(endpoint) };
    await current().client.put({ TableName: current().name, Item });
    const delivery = buildDelivery({ body });
    await storeDelivery(current())(delivery, null);
    const worker = tableDelivering(current(), world.client(receiver.port), startOfTest + 1000);

    await worker.deliver([dueFor(delivery)]);

    expect(await readDelivery(current())(delivery)).toMatchObject({ status: 'delivered', body });
    expect(bodies.map((post) => post.body.toString('hex'))).toEqual([Buffer.from(body).toString('hex')]);
    expect(bodies.map((post) => isAccepted(post.signature, post.body))).toEqual([true]);
  });

  it.each(tiny)('a body of a few bytes is stored, signed and posted as the same bytes: %j', async (text) => {
    const delivery = { ...buildDelivery(), body: text };
    await storeDelivery(current())(delivery, null);
    // As it is stored: no delivery is made of a text that is no event.
    const { Item = {} } = await current().client.get({
      TableName: current().name,
      Key: deliveryKey(delivery),
    });
    const body = Buffer.from(String(Item.body));
    const { receiver, bodies } = await startReceiver(body.length);

    const result = await world.client(receiver.port)({
      webhookId: 'whe_1',
      url: `${originOf(receiver.port)}/hook`,
      headers: { 'X-Service-Signature': signatureHeader(['whsec_current'], body, startOfTest + 1000) },
      body,
    });

    expect(result.outcome).toBe('acknowledged');
    expect(bodies.map((post) => post.body.toString())).toEqual([text]);
    expect(bodies.map((post) => isAccepted(post.signature, post.body))).toEqual([true]);
  });
});
