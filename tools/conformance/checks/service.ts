import { isIPv4 } from 'node:net';
import { type Check, check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import { isSuccess } from '../harness/exchange.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectNotListed, listAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { testDeliveryId } from '../scenarios/deliveries.ts';
import { pathOf } from '../scenarios/endpoint.ts';
import { mainEndpoint } from '../scenarios/endpoints.ts';
import { creator, runItems, storedRun, storedTracker, trackerChanges } from '../scenarios/lists.ts';
import { everyResponse, successes } from './every-response.ts';
import { is } from './fields.ts';
import { endpointOperations, sendTo } from './operations.ts';
import { expectNotFound, expectStatus } from './problems.ts';

const scoping: readonly Check[] = [
  ...endpointOperations.map((operation) => {
    const named = operation.replace('whe_0', '{id}').replace('whd_0', '{deliveryId}').replace('rpl_0', '{replayId}');
    return checkOf(`${named} of another customer answers not_found`, mainEndpoint, async ({ endpoint }, ctx) => {
      const target = operation.replace('whe_0', endpoint.id).replace('whd_0', testDeliveryId(endpoint));
      expectNotFound(await sendTo(ctx.other, target));
    });
  }),
  ...checksOf(mainEndpoint, {
    "no list contains another customer's endpoints": async ({ endpoint }, ctx) => {
      await allSlotsTaken(ctx);
      expectNotListed((await ctx.other.get('/v1/webhooks?limit=100')).json, endpoint.id);
    },
    "another customer's requests do not change an endpoint": async ({ endpoint }, ctx) => {
      await ctx.other.remove(pathOf(endpoint));
      const read = await ctx.customer.get(pathOf(endpoint));
      expectThat(at(read.json, 'status') === 'active', 'active', show(read.json));
    },
  }),
];

/** Where the stored results of a customer are. */
const results: Readonly<Record<string, (ctx: Context) => Promise<string>>> = {
  'Run answers': async (ctx) => (await storedRun.completed(ctx)).path,
  "Run's items answer": runItems,
  'Tracker answers': async (ctx) => (await storedTracker(ctx)).path,
  "Tracker's changes answer": trackerChanges,
  'stored videos answer': creator,
};

const stored: readonly Check[] = [
  ...Object.entries(results).map(([what, path]) =>
    check(`another customer's ${what} not_found`, ['intake'], async (ctx) =>
      expectNotFound(await ctx.other.get(await path(ctx))),
    ),
  ),
  checkOf("no list contains another customer's Runs", storedRun.completed, async ({ run }, ctx) => {
    const page = await ctx.other.get('/v1/runs?limit=100');
    expectStatus(page, 200);
    expectNotListed(page.json, run.id);
  }),
];

const timeNames = /(^|_)at$/;

/** Every member whose name marks a time, at any depth; excludes problems, which the engine writes. */
function timesIn(value: unknown, name = ''): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => timesIn(item));
  if (typeof value !== 'object' || value === null) return timeNames.test(name) ? [value] : [];
  return Object.entries(value).flatMap(([key, member]) => timesIn(member, key));
}

const conventions: readonly Check[] = [
  everyResponse(
    successes((exchange) => isSuccess(exchange) && exchange.json !== undefined),
    {
      name: 'every time in every answer is ISO 8601 in UTC with milliseconds, or null',
      wanted: 'YYYY-MM-DDThh:mm:ss.sssZ or null',
      fault: ({ json }) => {
        const wrong = timesIn(json).filter((time) => time !== null && !is.timestamp(time));
        return wrong.length === 0 ? null : show(wrong[0]);
      },
    },
  ),
];

const sources: readonly Check[] = [
  check('GET /v1/addresses answers a list of IPv4 addresses, the same for every customer', [], async (ctx) => {
    const own = await ctx.customer.get('/v1/addresses');
    expectStatus(own, 200);
    const listed = listAt(own.json, 'addresses');
    const isListOfIpv4 = listed.every((each) => isIPv4(String(each)));
    expectThat(isListOfIpv4, 'IPv4 addresses', show(listed));
    expectEqual('addresses of another customer', (await ctx.other.get('/v1/addresses')).json, own.json);
  }),
];

export const service = [
  ...groupsOf('What the service does', { 'Everything belongs to one customer': [...scoping, ...stored] }),
  ...groupsOf('What the service does', { 'Where deliveries come from': sources }),
  ...groupsOf('Resources and their fields', { All: conventions }),
];
