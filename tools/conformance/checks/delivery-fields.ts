import { type Check, checkOf, checksOf, collected, groupsOf } from '../harness/check.ts';
import { expectThat } from '../harness/expect.ts';
import { at, expectMembers, listAt } from '../harness/json.ts';
import type { Context } from '../harness/session.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { newestDeliveries } from '../scenarios/deliveries.ts';
import { mainEndpoint, mainRecords, replays } from '../scenarios/endpoints.ts';
import { eventsOf, journeyEvents } from '../scenarios/journey.ts';
import { failing, slowFirst } from '../scenarios/retries.ts';
import { eventTypes, field, fieldChecks, fields, is } from './fields.ts';

const deliveryRows = [
  field('id', 'a string that begins with whd_', is.id('whd_')),
  field('event_id', 'a string that begins with evt_', is.id('evt_')),
  field('event_type', 'an event type', is.oneOf(...eventTypes)),
  field('status', 'pending, delivered or failed', is.oneOf('pending', 'delivered', 'failed')),
  field('attempts', 'an integer', (value) => is.integer(value) && Number(value) >= 0 && Number(value) <= 3),
  field('outcome', 'the result of an attempt, or null', is.orNull(is.text)),
  field('response_status', 'an integer or null', is.orNull(is.integer)),
  field('error', 'a string or null', is.orNull(is.text)),
  field('run_id', 'null or a string that begins with run_', is.orNull(is.id('run_'))),
  field('tracker_id', 'null or a string that begins with trk_', is.orNull(is.id('trk_'))),
  field('change_report_id', 'null or a string that begins with chg_', is.orNull(is.id('chg_'))),
  field('replay_of', 'null or the id of a delivery', is.orNull(is.id('whd_'))),
  field('created_at', 'a timestamp', is.timestamp),
  ...fields(['last_attempt_at', 'delivered_at', 'failed_at'], 'a timestamp or null', is.orNull(is.timestamp)),
];

/** The record from every operation that returns it, in each of its states. */
const deliveries = collected(['receiver'], async (ctx) => {
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
});

/** The main endpoint's delivery of one event of the journey. */
async function deliveryOfStory(ctx: Context, type: string, runId: string): Promise<unknown> {
  const { endpoint } = await mainEndpoint(ctx);
  const { posts } = await journeyEvents(ctx);
  const eventId = at(eventsOf(posts, type, runId).at(0)?.json, 'id');
  const found = (await newestDeliveries(ctx, endpoint)).find((delivery) => at(delivery, 'event_id') === eventId);
  expectThat(found !== undefined, `a delivery of ${type}`, 'none');
  return found;
}

const references: readonly Check[] = [
  checkOf('a delivery of webhook.test names no Run, Tracker or Change Report', mainRecords, ({ delivery }) =>
    expectMembers(delivery.json, { run_id: null, tracker_id: null, change_report_id: null }),
  ),
  ...checksOf(journeyEvents, {
    'a delivery of a Run outside any Tracker names only the Run': async ({ facts }, ctx) => {
      const run_id = facts.completed.id;
      const delivery = await deliveryOfStory(ctx, 'run.completed', run_id);
      expectMembers(delivery, { run_id, tracker_id: null, change_report_id: null });
    },
    'a delivery of tracker.changed names Run, Tracker and Change Report': async ({ facts }, ctx) => {
      const run_id = facts.changed[0]?.id ?? '';
      const delivery = await deliveryOfStory(ctx, 'tracker.changed', run_id);
      const change_report_id = facts.reports[0]?.id;
      expectMembers(delivery, { run_id, tracker_id: facts.tracker.id, change_report_id });
    },
  }),
];

const outcomes: readonly Check[] = [
  checkOf('outcome and response_status are those of the last attempt', failing, async ({ delivery }, ctx) => {
    const { delivery: delivered } = await mainRecords(ctx);
    expectMembers(delivered.json, { outcome: 'acknowledged', response_status: 200 });
    expectMembers(delivery, { outcome: 'rejected', response_status: 500 });
  }),
  checkOf('response_status is null while there is no response', slowFirst, ({ during }) =>
    expectMembers(during.json, { outcome: null, response_status: null }),
  ),
  checkOf('error is null on a delivered delivery', mainRecords, ({ delivery }) =>
    expectMembers(delivery.json, { error: null }),
  ),
  checkOf('error is a text on a failed delivery', failedHandshake, ({ registered }) => {
    const error = at(registered.json, 'test_delivery', 'error');
    expectThat(typeof error === 'string' && error.length > 0, 'a text', error);
  }),
  ...checksOf(mainRecords, {
    'replay_of is null on a delivery that is not a replay': ({ delivery }) =>
      expectMembers(delivery.json, { replay_of: null }),
    'delivered_at is set and failed_at null when delivered': ({ delivery }) => {
      const deliveredAt = at(delivery.json, 'delivered_at');
      expectThat(is.timestamp(deliveredAt), 'a timestamp', deliveredAt);
      expectMembers(delivery.json, { failed_at: null });
    },
  }),
  checkOf('failed_at is set and delivered_at null when failed', failedHandshake, ({ registered }) => {
    const delivery = at(registered.json, 'test_delivery');
    expectThat(is.timestamp(at(delivery, 'failed_at')), 'a timestamp', at(delivery, 'failed_at'));
    expectMembers(delivery, { delivered_at: null });
  }),
  checkOf('delivered_at and failed_at are null while pending', slowFirst, ({ during }) =>
    expectMembers(during.json, { delivered_at: null, failed_at: null }),
  ),
];

export const deliveryFields = groupsOf('Resources and their fields', {
  Delivery: [...fieldChecks('a delivery', deliveryRows, deliveries), ...references, ...outcomes],
});
