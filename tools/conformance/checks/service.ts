import { type Check, check, checksOf, type Group } from '../harness/check.ts';
import { isSuccess } from '../harness/exchange.ts';
import { at, expectThat, listAt, show } from '../harness/expect.ts';
import { allSlotsTaken } from '../scenarios/all-slots-taken.ts';
import { pathOf, testDeliveryId } from '../scenarios/endpoint.ts';
import { journey } from '../scenarios/journey.ts';
import { creator, isThere, runItems, runsPath, trackerChanges } from '../scenarios/lists.ts';
import { mainEndpoint } from '../scenarios/main-endpoint.ts';
import { everyAnswer, sampleSuccess } from './every-answer.ts';
import { isTimestamp } from './fields.ts';
import { expectProblem, expectStatus } from './problems.ts';

const needs = ['receiver'] as const;

type Operation = { readonly method: string; readonly end: string };

const ofEndpoint: readonly Operation[] = [
  { method: 'GET', end: '' },
  { method: 'DELETE', end: '' },
  { method: 'POST', end: '/rotate' },
  { method: 'GET', end: '/deliveries' },
  { method: 'GET', end: '/deliveries/{deliveryId}' },
  { method: 'POST', end: '/deliveries/{deliveryId}/replay' },
];

const scoping: readonly Check[] = [
  ...checksOf(
    ofEndpoint,
    needs,
    ({ method, end }) => `${method} /v1/webhooks/{id}${end} of another customer answers not_found`,
    async (ctx, { method, end }) => {
      const { endpoint } = await mainEndpoint(ctx);
      const path = `${pathOf(endpoint)}${end}`.replace('{deliveryId}', testDeliveryId(endpoint));
      expectProblem(await ctx.other.send(method, path), 404, 'not_found');
    },
  ),
  check("no list contains another customer's endpoints", needs, async (ctx) => {
    const [{ endpoint }] = await Promise.all([mainEndpoint(ctx), allSlotsTaken(ctx)]);
    const page = await ctx.other.get('/v1/webhooks?limit=100');
    const ids = listAt(page.json, 'items').map((item) => at(item, 'id'));
    expectThat(!ids.includes(endpoint.id), `a list without ${endpoint.id}`, show(ids));
  }),
  check("another customer's requests do not change an endpoint", needs, async (ctx) => {
    const { endpoint } = await mainEndpoint(ctx);
    await ctx.other.remove(pathOf(endpoint));
    const read = await ctx.customer.get(pathOf(endpoint));
    expectThat(at(read.json, 'status') === 'active', 'active', show(read.json));
  }),
];

const stored: readonly Check[] = [
  check("another customer's Run answers not_found", ['intake'], async (ctx) => {
    const { completed } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${completed.id}`);
    expectProblem(await ctx.other.get(`${runsPath}/${completed.id}`), 404, 'not_found');
  }),
  check("another customer's Run's items answer not_found", ['intake'], async (ctx) => {
    expectProblem(await ctx.other.get(await runItems(ctx)), 404, 'not_found');
  }),
  check("another customer's Tracker answers not_found", ['intake'], async (ctx) => {
    const { tracker } = await journey(ctx);
    await isThere(ctx, `/v1/trackers/${tracker.id}`);
    expectProblem(await ctx.other.get(`/v1/trackers/${tracker.id}`), 404, 'not_found');
  }),
  check("another customer's Tracker's changes answer not_found", ['intake'], async (ctx) => {
    expectProblem(await ctx.other.get(await trackerChanges(ctx)), 404, 'not_found');
  }),
  check("another customer's stored videos answer not_found", ['intake'], async (ctx) => {
    expectProblem(await ctx.other.get(await creator(ctx)), 404, 'not_found');
  }),
  check("no list contains another customer's Runs", ['intake'], async (ctx) => {
    const { completed } = await journey(ctx);
    await isThere(ctx, `${runsPath}/${completed.id}`);
    const page = await ctx.other.get(`${runsPath}?limit=100`);
    expectStatus(page, 200);
    const ids = listAt(page.json, 'items').map((item) => at(item, 'id'));
    expectThat(!ids.includes(completed.id), `a list without ${completed.id}`, show(ids));
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
  everyAnswer({
    name: 'every time in every answer is ISO 8601 in UTC with milliseconds, or null',
    wanted: 'YYYY-MM-DDThh:mm:ss.sssZ or null',
    appliesTo: (exchange) => isSuccess(exchange) && exchange.json !== undefined,
    fault: ({ json }) => {
      const wrong = timesIn(json).filter((time) => time !== null && !isTimestamp(time));
      return wrong.length === 0 ? null : show(wrong[0]);
    },
    sample: sampleSuccess,
  }),
];

export const service: readonly Group[] = [
  {
    heading: 'What the service does',
    section: 'Everything belongs to one customer',
    checks: [...scoping, ...stored],
  },
  { heading: 'Resources and their fields', section: 'All', checks: conventions },
];
