import { type Check, checkOf, checksOf, collected, groupsOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers } from '../harness/json.ts';
import { nth } from '../scenarios/endpoint.ts';
import { mainEndpoint } from '../scenarios/endpoints.ts';
import { eventsOf, journeyEvents } from '../scenarios/journey.ts';
import { eventTypes, field, fieldChecks, is } from './fields.ts';

const common = [
  field('id', 'a string that begins with evt_', is.id('evt_')),
  field('type', 'an event type', is.oneOf(...eventTypes)),
  field('created_at', 'a timestamp', is.timestamp),
];

const ofRuns = [
  field('run_id', 'a string that begins with run_', is.id('run_')),
  field('kind', 'a string', is.text),
  field('status', 'completed, partial or failed', is.oneOf('completed', 'partial', 'failed')),
  field('charge_usd', 'a number', is.number),
  field('links.run', 'an absolute URL', (value) => typeof value === 'string' && URL.canParse(value)),
];

const bodies = collected(journeyEvents.needs, async (ctx) => (await journeyEvents(ctx)).posts.map(({ json }) => json));

const runBodies = collected(journeyEvents.needs, async (ctx) =>
  (await bodies(ctx)).filter((body) => at(body, 'type') !== 'webhook.test'),
);

/** The events of the journey, and the first of them for three Runs. */
const examples = collected(journeyEvents.needs, async (ctx) => {
  const { facts, posts } = await journeyEvents(ctx);
  const bodyOf = (type: string, runId = '') => nth(eventsOf(posts, type, runId), 0).json;
  return {
    facts,
    completed: () => bodyOf('run.completed', facts.completed.id),
    quiet: () => bodyOf('run.completed', facts.quiet.id),
    changed: () => bodyOf('tracker.changed', facts.changed[0]?.id),
  };
});

const ofExamples = checksOf(examples, {
  'an event says what the Run cost': ({ completed }) => expectMembers(completed(), { charge_usd: 0.25 }),
  'an event names the kind of its Run': ({ changed, completed }) => {
    expectMembers(changed(), { kind: 'tracker_cycle' });
    expectMembers(completed(), { kind: 'creator_videos' });
  },
  'links.run is the address of the Run': ({ completed }, ctx) => {
    const body = completed();
    expectMembers(body, { 'links.run': `${ctx.config.url}/v1/runs/${String(at(body, 'run_id'))}` });
  },
  'an event of a Run outside any Tracker has no tracker members': ({ completed }) =>
    expectMembers(completed(), { tracker_id: undefined, change_report_id: undefined }),
  'a tracker event has tracker_id': ({ facts, changed }) => expectMembers(changed(), { tracker_id: facts.tracker.id }),
  'a tracker event has change_report_id': ({ facts, changed }) =>
    expectMembers(changed(), { change_report_id: facts.reports[0]?.id }),
  'a tracker event links to the Tracker and to its changes': ({ facts, changed }, ctx) => {
    const tracker = `${ctx.config.url}/v1/trackers/${facts.tracker.id}`;
    expectMembers(changed(), { 'links.tracker': tracker, 'links.changes': `${tracker}/changes` });
  },
  "run.completed of a Tracker's Run names the Tracker, but no Change Report": ({ facts, quiet }) =>
    expectMembers(quiet(), { tracker_id: facts.tracker.id, change_report_id: undefined }),
});

const thinMembers = [
  ...['id', 'type', 'created_at', 'run_id', 'kind', 'status', 'charge_usd', 'tracker_id'],
  ...['change_report_id', 'links'],
];

const wire: readonly Check[] = [
  checkOf('an event body is thin: identifiers and links, no results', runBodies, (all) => {
    for (const body of all) {
      const others = Object.keys(Object(body)).filter((name) => !thinMembers.includes(name));
      expectEqual('further members', others, []);
    }
  }),
  checkOf('the wire body is compact JSON', journeyEvents, ({ posts }) => {
    for (const { body, json } of posts) expectEqual('body', body.toString('utf8'), JSON.stringify(json));
  }),
  ...checksOf(mainEndpoint, {
    'the body of webhook.test names its endpoint': ({ endpoint, handshake }) =>
      expectMembers(handshake.json, { webhook_id: endpoint.id, links: {} }),
    'the body of webhook.test names no Run': ({ handshake }) =>
      expectThat(at(handshake.json, 'run_id') === undefined, 'no run_id', show(handshake.json)),
  }),
];

export const eventFields = groupsOf('Resources and their fields', {
  'Event body': [
    ...fieldChecks('an event body', common, bodies),
    ...fieldChecks('the event body of a Run', ofRuns, runBodies),
    ...ofExamples,
    ...wire,
  ],
});
