import { type Check, check, type Group, type Need } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { at, expectEqual, expectThat, listAt } from '../harness/expect.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { newestDeliveries } from '../scenarios/endpoint.ts';
import { eventsOf, journeyEvents } from '../scenarios/journey.ts';
import { mainEndpoint, mainRecords, replays } from '../scenarios/main-endpoint.ts';
import { failing, slowFirst } from '../scenarios/retries.ts';
import {
  eventTypes,
  field,
  fieldChecks,
  isId,
  isInteger,
  isOneOf,
  isText,
  isTimestamp,
  orNull,
} from './fields.ts';

const needs = ['receiver'] as const;
const withEvents: readonly Need[] = ['receiver', 'intake'];

const fields = [
  field('id', 'a string that begins with whd_', isId('whd_')),
  field('event_id', 'a string that begins with evt_', isId('evt_')),
  field('event_type', 'an event type', isOneOf(...eventTypes)),
  field('status', 'pending, delivered or failed', isOneOf('pending', 'delivered', 'failed')),
  field('attempts', 'an integer', (value) => isInteger(value) && Number(value) >= 0 && Number(value) <= 3),
  field('response_status', 'an integer or null', orNull(isInteger)),
  field('error', 'a string or null', orNull(isText)),
  field('run_id', 'null or a string that begins with run_', orNull(isId('run_'))),
  field('tracker_id', 'null or a string that begins with trk_', orNull(isId('trk_'))),
  field('change_report_id', 'null or a string that begins with chg_', orNull(isId('chg_'))),
  field('replay_of', 'null or the id of a delivery', orNull(isId('whd_'))),
  field('created_at', 'a timestamp', isTimestamp),
  field('last_attempt_at', 'a timestamp or null', orNull(isTimestamp)),
  field('delivered_at', 'a timestamp or null', orNull(isTimestamp)),
  field('failed_at', 'a timestamp or null', orNull(isTimestamp)),
];

/** The record from every operation that returns it, in each of its states. */
async function deliveries(ctx: Context): Promise<readonly unknown[]> {
  const [{ endpoint, deliveries: listed, delivery }, failed, replayed] = await Promise.all([
    mainRecords(ctx),
    failedHandshake(ctx),
    replays(ctx),
  ]);
  return [
    at(endpoint.registered.json, 'test_delivery'),
    ...listAt(listed.json, 'items'),
    delivery.json,
    at(failed.registered.json, 'test_delivery'),
    at(replayed.accepted.json, 'delivery'),
    replayed.delivered,
  ];
}

/** The main endpoint's delivery of one event of the journey. */
async function deliveryOfStory(ctx: Context, type: string, runId: string): Promise<unknown> {
  const { endpoint } = await mainEndpoint(ctx);
  const { posts } = await journeyEvents(ctx);
  const eventId = at(eventsOf(posts, type, runId).at(0)?.json, 'id');
  const found = (await newestDeliveries(ctx, endpoint)).find(
    (delivery) => at(delivery, 'event_id') === eventId,
  );
  expectThat(found !== undefined, `a delivery of ${type}`, 'none');
  return found;
}

const references: readonly Check[] = [
  check('a delivery of webhook.test names no Run, Tracker or Change Report', needs, async (ctx) => {
    const { delivery } = await mainRecords(ctx);
    for (const name of ['run_id', 'tracker_id', 'change_report_id']) {
      expectEqual(name, at(delivery.json, name), null);
    }
  }),
  check('a delivery of a Run outside any Tracker names only the Run', withEvents, async (ctx) => {
    const { facts } = await journeyEvents(ctx);
    const delivery = await deliveryOfStory(ctx, 'run.completed', facts.completed.id);
    expectEqual('run_id', at(delivery, 'run_id'), facts.completed.id);
    expectEqual('tracker_id', at(delivery, 'tracker_id'), null);
    expectEqual('change_report_id', at(delivery, 'change_report_id'), null);
  }),
  check('a delivery of tracker.changed names Run, Tracker and Change Report', withEvents, async (ctx) => {
    const { facts } = await journeyEvents(ctx);
    const runId = facts.changed[0]?.id ?? '';
    const delivery = await deliveryOfStory(ctx, 'tracker.changed', runId);
    expectEqual('run_id', at(delivery, 'run_id'), runId);
    expectEqual('tracker_id', at(delivery, 'tracker_id'), facts.tracker.id);
    expectEqual('change_report_id', at(delivery, 'change_report_id'), facts.reports[0]?.id);
  }),
];

const outcomes: readonly Check[] = [
  check('response_status is what the receiver answered last', withEvents, async (ctx) => {
    const { delivery } = await mainRecords(ctx);
    expectEqual('response_status', at(delivery.json, 'response_status'), 200);
    expectEqual('response_status', at((await failing(ctx)).delivery, 'response_status'), 500);
  }),
  check('response_status is null while there is no response', withEvents, async (ctx) => {
    const { during } = await slowFirst(ctx);
    expectEqual('response_status', at(during.json, 'response_status'), null);
  }),
  check('error is null on a delivered delivery', needs, async (ctx) => {
    expectEqual('error', at((await mainRecords(ctx)).delivery.json, 'error'), null);
  }),
  check('error is a text on a failed delivery', needs, async (ctx) => {
    const { registered } = await failedHandshake(ctx);
    const error = at(registered.json, 'test_delivery', 'error');
    expectThat(typeof error === 'string' && error.length > 0, 'a text', error);
  }),
  check('replay_of is null on a delivery that is not a replay', needs, async (ctx) => {
    expectEqual('replay_of', at((await mainRecords(ctx)).delivery.json, 'replay_of'), null);
  }),
  check('delivered_at is set and failed_at null when delivered', needs, async (ctx) => {
    const { delivery } = await mainRecords(ctx);
    expectThat(
      isTimestamp(at(delivery.json, 'delivered_at')),
      'a timestamp',
      at(delivery.json, 'delivered_at'),
    );
    expectEqual('failed_at', at(delivery.json, 'failed_at'), null);
  }),
  check('failed_at is set and delivered_at null when failed', needs, async (ctx) => {
    const delivery = at((await failedHandshake(ctx)).registered.json, 'test_delivery');
    expectThat(isTimestamp(at(delivery, 'failed_at')), 'a timestamp', at(delivery, 'failed_at'));
    expectEqual('delivered_at', at(delivery, 'delivered_at'), null);
  }),
  check('delivered_at and failed_at are null while pending', withEvents, async (ctx) => {
    const { during } = await slowFirst(ctx);
    expectEqual('delivered_at', at(during.json, 'delivered_at'), null);
    expectEqual('failed_at', at(during.json, 'failed_at'), null);
  }),
];

export const deliveryFields: Group = {
  heading: 'Resources and their fields',
  section: 'Delivery',
  checks: [...fieldChecks('a delivery', fields, needs, deliveries), ...references, ...outcomes],
};
