import { type Check, check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import { type Exchange, headerOf } from '../harness/exchange.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers, isRecord, listOrNone, textAt } from '../harness/json.ts';
import { allSlotsTaken, failedHandshake, slotReuse } from '../scenarios/all-slots-taken.ts';
import { testDeliveryId } from '../scenarios/deliveries.ts';
import { descriptionMark } from '../scenarios/endpoint.ts';
import { mainEndpoint, mainRecords, rotation } from '../scenarios/endpoints.ts';
import { everyResponse, successes } from './every-response.ts';
import { expectPointer, expectProblem, expectStatus } from './problems.ts';
import { serviceHeader } from './verify.ts';

const responses: readonly Check[] = [
  ...checksOf(mainEndpoint, {
    'a registration answers 201 with webhook, secret and test_delivery': ({ endpoint: { registered } }) => {
      expectStatus(registered, 201);
      const { json } = registered;
      expectThat(isRecord(at(json, 'webhook')), 'webhook: an object', json);
      expectThat(typeof at(json, 'secret') === 'string', 'secret: a string', 'something else');
      expectThat(isRecord(at(json, 'test_delivery')), 'test_delivery: an object', json);
    },
    'test_delivery is the delivered handshake': ({ endpoint }) => {
      const wanted = { event_type: 'webhook.test', status: 'delivered', attempts: 1 };
      expectMembers(at(endpoint.registered.json, 'test_delivery'), wanted);
    },
    'the handshake is sent at once, with one attempt': ({ endpoint: { registered }, handshake }) => {
      expectMembers(handshake.json, { type: 'webhook.test' });
      const eventId = at(registered.json, 'test_delivery', 'event_id');
      expectEqual('event id', serviceHeader(handshake, 'event-id'), eventId);
      const isEarlier = handshake.at <= registered.respondedAt + 1_000;
      expectThat(isEarlier, 'a POST before the answer', 'a later one');
    },
  }),
  checkOf('the handshake is in the delivery history', mainRecords, ({ endpoint, deliveries, delivery }) => {
    const ids = listOrNone(deliveries.json, 'items').map((item) => at(item, 'id'));
    expectThat(ids.includes(testDeliveryId(endpoint)), 'the id of test_delivery', show(ids));
    expectStatus(delivery, 200);
  }),
  ...checksOf(failedHandshake, {
    'a failed handshake answers 201 too, with a secret': ({ registered }) => {
      expectStatus(registered, 201);
      expectThat(textAt(registered.json, 'secret').length > 20, 'a secret', 'none');
      expectMembers(at(registered.json, 'test_delivery'), { response_status: 500 });
    },
    'a failed registration says what to do next, and its delivery says why it failed': ({ registered }) => {
      const nextStep = textAt(registered.json, 'next_step');
      const deletion = `DELETE /v1/webhooks/${textAt(registered.json, 'webhook', 'id')}`;
      expectThat(nextStep.includes(deletion), 'delete', nextStep);
      const error = textAt(registered.json, 'test_delivery', 'error');
      expectThat(/500.*log of the receiver/.test(error), 'the status and a hint', error);
    },
    'a handshake is not retried': async ({ endpoint }, ctx) => {
      await slotReuse(ctx);
      expectEqual('POSTs', (await ctx.receiver().inbox(endpoint.mailbox)).length, 1);
    },
  }),
  ...checksOf(slotReuse, {
    'a host that does not resolve fails the handshake, not the request': ({ unresolvable }) => {
      expectStatus(unresolvable, 201);
      expectMembers(at(unresolvable.json, 'webhook'), { status: 'failed' });
      expectMembers(at(unresolvable.json, 'test_delivery'), { response_status: null });
    },
  }),
];

const secrets: readonly Check[] = [
  everyResponse(
    successes(({ text }) => text !== ''),
    {
      name: 'a signing secret is in the answer that created it and in no other',
      wanted: 'each secret once',
      fault: (exchange, ctx) => {
        const leaked = madeSecrets(ctx.log.exchanges).some(
          ({ secret, maker }) => maker !== exchange && exchange.text.includes(secret) && !isRepeated(maker, exchange),
        );
        return leaked ? 'the secret of another answer' : null;
      },
    },
  ),
  checkOf('a webhook that is read has no member secret', mainRecords, async ({ endpoint, read, listed }, ctx) => {
    const { rotated, read: readRotated } = await rotation(ctx);
    const records = [
      read.json,
      readRotated.json,
      at(endpoint.registered.json, 'webhook'),
      at(rotated.json, 'webhook'),
      ...listOrNone(listed.json, 'items'),
    ];
    for (const record of records) expectMembers(record, { secret: undefined });
  }),
  checkOf('every endpoint has its own secret', rotation, async ({ endpoint, newSecret }, ctx) => {
    const main = await mainEndpoint(ctx);
    const all = [main.endpoint.secret, endpoint.secret, newSecret];
    expectEqual('different secrets', new Set(all).size, 3);
  }),
];

function madeSecrets(exchanges: readonly Exchange[]): readonly { secret: string; maker: Exchange }[] {
  return exchanges.flatMap((maker) => {
    const secret = at(maker.json, 'secret');
    const isMaker = typeof secret === 'string' && secret.length > 8 && !isReplayed(maker);
    return isMaker ? [{ secret, maker }] : [];
  });
}

const isReplayed = (exchange: Exchange): boolean => headerOf(exchange, 'idempotency-replayed') !== undefined;

/** Whether an answer is the first one once more, to a request that was repeated with its key. */
const isRepeated = (first: Exchange, exchange: Exchange): boolean =>
  isReplayed(exchange) && exchange.text === first.text;

const refusedDescriptions = [
  { what: 'null', description: null },
  { what: 'that is not a string', description: 7 },
  { what: 'over 500 characters', description: 'x'.repeat(501) },
];

const descriptions: readonly Check[] = [
  checkOf('description is optional and empty by default', slotReuse, async ({ freed }, ctx) => {
    const { registered } = (await mainEndpoint(ctx)).endpoint;
    const given = textAt(registered.json, 'webhook', 'description');
    expectThat(given.startsWith(descriptionMark), 'as given', 'not');
    expectMembers(at(freed.json, 'webhook'), { description: '' });
  }),
  ...refusedDescriptions.map(({ what, description }) =>
    check(`description ${what} is refused`, [], async (ctx) => {
      const refused = await ctx.customer.post('/v1/webhooks', { url: 'https://localhost/', description });
      expectPointer(refused, '/description');
    }),
  ),
];

const limit: readonly Check[] = [
  ...checksOf(allSlotsTaken, {
    'a sixth endpoint is refused with webhook_limit_exceeded': ({ refused }) =>
      expectProblem(refused, 'webhook_limit_exceeded'),
    'a failed endpoint holds a slot': ({ failed, refused }) => {
      expectMembers(at(failed.registered.json, 'webhook'), { status: 'failed' });
      expectProblem(refused, 'webhook_limit_exceeded');
    },
    'a refused registration sends nothing to the URL': async (_, ctx) =>
      expectEqual('POSTs', (await ctx.receiver().inbox(`${ctx.tag}-one-too-many`)).length, 0),
  }),
  ...checksOf(slotReuse, {
    'deleting an endpoint frees its slot': ({ freed }) => expectStatus(freed, 201),
    'registrations at once never exceed the limit': ({ race }) => {
      const statuses = race.map(({ status }) => status).toSorted();
      expectEqual('statuses of four registrations with one slot', statuses, [201, 409, 409, 409]);
    },
  }),
];

export const register = groupsOf('Endpoints', {
  'POST /v1/webhooks': [...responses, ...secrets, ...descriptions, ...limit],
});
