import { type Check, check, type Group } from '../harness/check.ts';
import type { headerOf } from '../harness/exchange.ts';
import { at, expectEqual, expectThat, isRecord, show, textAt } from '../harness/expect.ts';
import { serviceHeader } from '../harness/receiver.ts';
import { allSlotsTaken, failedHandshake, slotReuse } from '../scenarios/all-slots-taken.ts';
import { descriptionMark, testDeliveryId } from '../scenarios/endpoint.ts';
import { mainEndpoint, mainRecords } from '../scenarios/main-endpoint.ts';
import { rotation } from '../scenarios/rotation.ts';
import { everyAnswer, sampleSuccess } from './every-answer.ts';
import { expectProblem, expectStatus } from './problems.ts';

const needs = ['receiver'] as const;

const answer: readonly Check[] = [
  check('a registration answers 201 with webhook, secret and test_delivery', needs, async (ctx) => {
    const { registered } = (await mainEndpoint(ctx)).endpoint;
    expectStatus(registered, 201);
    expectThat(isRecord(at(registered.json, 'webhook')), 'webhook: an object', registered.json);
    expectThat(typeof at(registered.json, 'secret') === 'string', 'secret: a string', 'something else');
    expectThat(isRecord(at(registered.json, 'test_delivery')), 'test_delivery: an object', registered.json);
  }),
  check('test_delivery is the delivered handshake', needs, async (ctx) => {
    const { registered } = (await mainEndpoint(ctx)).endpoint;
    const delivery = at(registered.json, 'test_delivery');
    expectEqual('event_type', at(delivery, 'event_type'), 'webhook.test');
    expectEqual('status', at(delivery, 'status'), 'delivered');
    expectEqual('attempts', at(delivery, 'attempts'), 1);
  }),
  check('the handshake is sent at once, with one attempt', needs, async (ctx) => {
    const { endpoint, handshake } = await mainEndpoint(ctx);
    expectEqual('type', at(handshake.json, 'type'), 'webhook.test');
    expectEqual(
      'event id',
      serviceHeader(handshake, 'event-id'),
      at(endpoint.registered.json, 'test_delivery', 'event_id'),
    );
    expectThat(
      handshake.at <= endpoint.registered.answeredAt + 1_000,
      'a POST before the answer',
      'a later one',
    );
  }),
  check('the handshake is in the delivery history', needs, async (ctx) => {
    const { endpoint, deliveries, delivery } = await mainRecords(ctx);
    const items = at(deliveries.json, 'items');
    const ids = Array.isArray(items) ? items.map((item) => at(item, 'id')) : [];
    expectThat(ids.includes(testDeliveryId(endpoint)), 'the id of test_delivery', show(ids));
    expectStatus(delivery, 200);
  }),
  check('a failed handshake answers 201 too, with a secret', needs, async (ctx) => {
    const { registered } = await failedHandshake(ctx);
    expectStatus(registered, 201);
    expectThat(textAt(registered.json, 'secret').length > 20, 'a secret', 'none');
    expectEqual('response_status', at(registered.json, 'test_delivery', 'response_status'), 500);
  }),
  check(
    'a failed registration says what to do next, and its delivery says why it failed',
    needs,
    async (ctx) => {
      const { registered } = await failedHandshake(ctx);
      const nextStep = textAt(registered.json, 'next_step');
      expectThat(
        nextStep.includes(`DELETE /v1/webhooks/${textAt(registered.json, 'webhook', 'id')}`),
        'delete',
        nextStep,
      );
      const error = textAt(registered.json, 'test_delivery', 'error');
      expectThat(/500.*log of the receiver/.test(error), 'the status and a hint', error);
    },
  ),
  check('a handshake is not retried', ['receiver'], async (ctx) => {
    const { endpoint } = await failedHandshake(ctx);
    await slotReuse(ctx);
    expectEqual('POSTs', (await ctx.receiver().inbox(endpoint.mailbox)).length, 1);
  }),
  check('a host that does not resolve fails the handshake, not the request', needs, async (ctx) => {
    const { unresolvable } = await slotReuse(ctx);
    expectStatus(unresolvable, 201);
    expectEqual('status', at(unresolvable.json, 'webhook', 'status'), 'failed');
    expectEqual('response_status', at(unresolvable.json, 'test_delivery', 'response_status'), null);
  }),
];

const secrets: readonly Check[] = [
  everyAnswer({
    name: 'a signing secret is in the answer that created it and in no other',
    wanted: 'each secret once',
    appliesTo: ({ text }) => text !== '',
    fault: (exchange, ctx) => {
      const leaked = madeSecrets(ctx.log.exchanges).some(
        ({ secret, maker }) => maker !== exchange && exchange.text.includes(secret),
      );
      return leaked ? 'the secret of another answer' : null;
    },
    sample: sampleSuccess,
  }),
  check('a webhook that is read has no member secret', needs, async (ctx) => {
    const { endpoint, read, listed } = await mainRecords(ctx);
    const { rotated, read: readRotated } = await rotation(ctx);
    const items = at(listed.json, 'items');
    const records = [
      read.json,
      readRotated.json,
      at(endpoint.registered.json, 'webhook'),
      at(rotated.json, 'webhook'),
      ...(Array.isArray(items) ? items : []),
    ];
    for (const record of records) expectEqual('secret', at(record, 'secret'), undefined);
  }),
  check('every endpoint has its own secret', needs, async (ctx) => {
    const [{ endpoint }, { endpoint: other, newSecret }] = await Promise.all([
      mainEndpoint(ctx),
      rotation(ctx),
    ]);
    const different = new Set([endpoint.secret, other.secret, newSecret]).size;
    expectEqual('different secrets', different, 3);
  }),
];

type Answers = Parameters<typeof headerOf>[0];

function madeSecrets(exchanges: readonly Answers[]): readonly { secret: string; maker: Answers }[] {
  return exchanges.flatMap((maker) => {
    const secret = at(maker.json, 'secret');
    return typeof secret === 'string' && secret.length > 8 ? [{ secret, maker }] : [];
  });
}

const description: readonly Check[] = [
  check('description is optional and empty by default', needs, async (ctx) => {
    const { freed } = await slotReuse(ctx);
    const { registered } = (await mainEndpoint(ctx)).endpoint;
    expectThat(
      textAt(registered.json, 'webhook', 'description').startsWith(descriptionMark),
      'as given',
      'not',
    );
    expectEqual('description', at(freed.json, 'webhook', 'description'), '');
  }),
  check('description null is refused', [], async (ctx) => refuse(ctx, { description: null })),
  check('description that is not a string is refused', [], async (ctx) => refuse(ctx, { description: 7 })),
  check('description over 500 characters is refused', [], async (ctx) =>
    refuse(ctx, { description: 'x'.repeat(501) }),
  ),
];

async function refuse(ctx: Parameters<Check['run']>[0], members: object): Promise<void> {
  const refused = await ctx.customer.post('/v1/webhooks', { url: 'https://localhost/', ...members });
  expectProblem(refused, 400, 'invalid_request');
  const errors = at(refused.json, 'errors');
  const pointers = Array.isArray(errors) ? errors.map((error) => at(error, 'pointer')) : [];
  expectThat(pointers.includes('/description'), 'errors that point at /description', show(errors));
}

const limit: readonly Check[] = [
  check('a sixth endpoint is refused with webhook_limit_exceeded', needs, async (ctx) => {
    expectProblem((await allSlotsTaken(ctx)).refused, 409, 'webhook_limit_exceeded');
  }),
  check('a failed endpoint holds a slot', needs, async (ctx) => {
    const { failed, refused } = await allSlotsTaken(ctx);
    expectEqual('status', at(failed.registered.json, 'webhook', 'status'), 'failed');
    expectProblem(refused, 409, 'webhook_limit_exceeded');
  }),
  check('a refused registration sends nothing to the URL', needs, async (ctx) => {
    await allSlotsTaken(ctx);
    expectEqual('POSTs', (await ctx.receiver().inbox(`${ctx.tag}-one-too-many`)).length, 0);
  }),
  check('deleting an endpoint frees its slot', needs, async (ctx) => {
    expectStatus((await slotReuse(ctx)).freed, 201);
  }),
  check('registrations at once never exceed the limit', needs, async (ctx) => {
    const statuses = (await slotReuse(ctx)).race.map(({ status }) => status).toSorted();
    expectEqual('statuses of four registrations with one slot', statuses, [201, 409, 409, 409]);
  }),
];

export const register: Group = {
  heading: 'Endpoints',
  section: 'POST /v1/webhooks',
  checks: [...answer, ...secrets, ...description, ...limit],
};
