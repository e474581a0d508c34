import { type Check, check, type Group } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { at, expectEqual, expectThat, show } from '../harness/expect.ts';
import type { Received } from '../harness/receiver.ts';
import { nth } from '../scenarios/endpoint.ts';
import { eventsOf, type Facts, journeyEvents } from '../scenarios/journey.ts';
import { mainEndpoint } from '../scenarios/main-endpoint.ts';
import { eventTypes, field, fieldChecks, isId, isNumber, isOneOf, isText, isTimestamp } from './fields.ts';

const needs = ['receiver', 'intake'] as const;

const common = [
  field('id', 'a string that begins with evt_', isId('evt_')),
  field('type', 'an event type', isOneOf(...eventTypes)),
  field('created_at', 'a timestamp', isTimestamp),
];

const ofRuns = [
  field('run_id', 'a string that begins with run_', isId('run_')),
  field('kind', 'a string', isText),
  field('status', 'completed, partial or failed', isOneOf('completed', 'partial', 'failed')),
  field('charge_usd', 'a number', isNumber),
  field('links.run', 'an absolute URL', (value) => typeof value === 'string' && URL.canParse(value)),
];

async function bodies(ctx: Context): Promise<readonly unknown[]> {
  return (await journeyEvents(ctx)).posts.map(({ json }) => json);
}

async function runBodies(ctx: Context): Promise<readonly unknown[]> {
  return (await bodies(ctx)).filter((body) => at(body, 'type') !== 'webhook.test');
}

/** The first event of a type about one Run of the journey. */
async function eventOf(ctx: Context, type: string, pick: (facts: Facts) => string): Promise<Received> {
  const { facts, posts } = await journeyEvents(ctx);
  return nth(eventsOf(posts, type, pick(facts)), 0);
}

const changedRun = ({ changed }: Facts): string => changed[0]?.id ?? '';

const aboutRuns: readonly Check[] = [
  check('an event says what the Run cost', needs, async (ctx) => {
    const { json } = await eventOf(ctx, 'run.completed', ({ completed }) => completed.id);
    expectEqual('charge_usd', at(json, 'charge_usd'), 0.25);
  }),
  check('an event names the kind of its Run', needs, async (ctx) => {
    const cycle = await eventOf(ctx, 'tracker.changed', changedRun);
    expectEqual('kind', at(cycle.json, 'kind'), 'tracker_cycle');
    const plain = await eventOf(ctx, 'run.completed', ({ completed }) => completed.id);
    expectEqual('kind', at(plain.json, 'kind'), 'creator_videos');
  }),
  check('links.run is the address of the Run', needs, async (ctx) => {
    const { json } = await eventOf(ctx, 'run.completed', ({ completed }) => completed.id);
    const wanted = `${ctx.config.url}/v1/runs/${String(at(json, 'run_id'))}`;
    expectEqual('links.run', at(json, 'links', 'run'), wanted);
  }),
  check('an event of a Run outside any Tracker has no tracker members', needs, async (ctx) => {
    const { json } = await eventOf(ctx, 'run.completed', ({ completed }) => completed.id);
    for (const name of ['tracker_id', 'change_report_id']) expectEqual(name, at(json, name), undefined);
  }),
];

const aboutTrackers: readonly Check[] = [
  check('a tracker event has tracker_id', needs, async (ctx) => {
    const { facts } = await journeyEvents(ctx);
    const { json } = await eventOf(ctx, 'tracker.changed', changedRun);
    expectEqual('tracker_id', at(json, 'tracker_id'), facts.tracker.id);
  }),
  check('a tracker event has change_report_id', needs, async (ctx) => {
    const { facts } = await journeyEvents(ctx);
    const { json } = await eventOf(ctx, 'tracker.changed', changedRun);
    expectEqual('change_report_id', at(json, 'change_report_id'), facts.reports[0]?.id);
  }),
  check('a tracker event links to the Tracker and to its changes', needs, async (ctx) => {
    const { facts } = await journeyEvents(ctx);
    const { json } = await eventOf(ctx, 'tracker.changed', changedRun);
    const tracker = `${ctx.config.url}/v1/trackers/${facts.tracker.id}`;
    expectEqual('links.tracker', at(json, 'links', 'tracker'), tracker);
    expectEqual('links.changes', at(json, 'links', 'changes'), `${tracker}/changes`);
  }),
  check("run.completed of a Tracker's Run names the Tracker, but no Change Report", needs, async (ctx) => {
    const { facts } = await journeyEvents(ctx);
    const { json } = await eventOf(ctx, 'run.completed', ({ quiet }) => quiet.id);
    expectEqual('tracker_id', at(json, 'tracker_id'), facts.tracker.id);
    expectEqual('change_report_id', at(json, 'change_report_id'), undefined);
  }),
];

const wire: readonly Check[] = [
  check('an event body is thin: identifiers and links, no results', needs, async (ctx) => {
    const allowed = [
      ...['id', 'type', 'created_at', 'run_id', 'kind', 'status', 'charge_usd', 'tracker_id'],
      ...['change_report_id', 'links'],
    ];
    for (const body of await runBodies(ctx)) {
      const others = Object.keys(Object(body)).filter((name) => !allowed.includes(name));
      expectEqual('further members', others, []);
    }
  }),
  check('the wire body is compact JSON', needs, async (ctx) => {
    for (const { body, json } of (await journeyEvents(ctx)).posts) {
      expectEqual('body', body.toString('utf8'), JSON.stringify(json));
    }
  }),
  check('the body of webhook.test names its endpoint', ['receiver'], async (ctx) => {
    const { endpoint, handshake } = await mainEndpoint(ctx);
    expectEqual('webhook_id', at(handshake.json, 'webhook_id'), endpoint.id);
    expectEqual('links', at(handshake.json, 'links'), {});
  }),
  check('the body of webhook.test names no Run', ['receiver'], async (ctx) => {
    const { handshake } = await mainEndpoint(ctx);
    expectThat(at(handshake.json, 'run_id') === undefined, 'no run_id', show(handshake.json));
  }),
];

export const eventFields: Group = {
  heading: 'Resources and their fields',
  section: 'Event body',
  checks: [
    ...fieldChecks('an event body', common, needs, bodies),
    ...fieldChecks('the event body of a Run', ofRuns, needs, runBodies),
    ...aboutRuns,
    ...aboutTrackers,
    ...wire,
  ],
};
