import * as z from 'zod';
import { runRecord } from '#shared/contract/records/run.ts';
import {
  type EventType,
  exampleBody,
  runCompletedBody,
  trackerChangedBody,
  webhookTestBody,
} from '#shared/domain/event.ts';
import { described, id, link, time } from '../described.ts';
import { baseUrl, eventHead, ids, settledRun, times, trackerRun } from '../story.ts';

const head = <T extends EventType>(type: T) => ({
  id: z.string(),
  type: z.literal(type),
  created_at: z.string(),
});

/** The statuses of a settled Run. */
export const runOutcomes = z.enum(runRecord.shape.status.def.entries).exclude(['queued', 'running']).options;

const runMembers = {
  run_id: z.string(),
  kind: z.string(),
  status: z.enum(runOutcomes),
  charge_usd: z.number(),
};

const trackerChangedLinks = z.strictObject({ run: z.url(), tracker: z.url(), changes: z.url() });
const runCompletedLinks = trackerChangedLinks.partial({ tracker: true, changes: true });
const webhookTestLinks = z.strictObject({});

const runCompletedEvent = z.strictObject({
  ...head('run.completed'),
  ...runMembers,
  tracker_id: z.string().optional(),
  links: runCompletedLinks,
});
const trackerChangedEvent = z.strictObject({
  ...head('tracker.changed'),
  ...runMembers,
  tracker_id: z.string(),
  change_report_id: z.string(),
  links: trackerChangedLinks,
});
const webhookTestEvent = z.strictObject({
  ...head('webhook.test'),
  webhook_id: z.string(),
  example: z.discriminatedUnion('type', [runCompletedEvent, trackerChangedEvent]).optional(),
  links: webhookTestLinks,
});

/** The body of each event. `shared/domain` builds it. */
export const eventBodies = {
  'run.completed': runCompletedEvent,
  'tracker.changed': trackerChangedEvent,
  'webhook.test': webhookTestEvent,
} as const satisfies Readonly<Record<EventType, z.core.$ZodType>>;

/** The body of any event. */
export const event = z.discriminatedUnion('type', [runCompletedEvent, trackerChangedEvent, webhookTestEvent]);

/** What the document says about each event. */
export const eventTexts: Readonly<Record<EventType, { readonly summary: string; readonly description: string }>> = {
  'run.completed': {
    summary: 'A Run settled',
    description:
      'Sent once for every Run that settles, whatever its outcome: branch on `status`. The body has no results: ' +
      'fetch them from `links`.',
  },
  'tracker.changed': {
    summary: 'A Tracker wrote a Change Report',
    description: 'Sent when a cycle of a Tracker found a change. A cycle without a change sends only `run.completed`.',
  },
  'webhook.test': {
    summary: 'The test event of a registration, or an example',
    description:
      'Sent while an endpoint is registered, before you know its secret: respond with 2xx to one that you cannot ' +
      'verify, and do nothing else. There is one attempt; a replay of it has up to three.\n\nWith the member `example`, it is an example that you asked ' +
      'for, with up to three attempts. Verify it like every event before you look into it.',
  },
};

/** The bodies of the events, exactly as they are sent. */
export const bodies = {
  'run.completed': runCompletedBody(eventHead(ids.event, times.eventCreated), settledRun, baseUrl),
  'tracker.changed': trackerChangedBody(
    eventHead(ids.trackerEvent, times.changed),
    trackerRun,
    ids.changeReport,
    baseUrl,
  ),
  'webhook.test': webhookTestBody(eventHead(ids.testEvent, times.registered), ids.webhook),
} as const;

/** A test event that carries an example of a Run. */
export const bodyWithExample = exampleBody(
  eventHead(ids.exampleEvent, times.exampleSent),
  ids.webhook,
  'run.completed',
  { runId: ids.exampleRun, trackerId: ids.tracker, changeReportId: ids.changeReport },
  baseUrl,
);

/** When the example of each event is sent. */
export const sentAt = {
  'run.completed': times.firstAttempt,
  'tracker.changed': times.changed,
  'webhook.test': times.tested,
} as const;

const headTexts = {
  id: id('event', 'The same on every attempt and replay. Use it to detect duplicates.'),
  type: 'The type of the event.',
  created_at: time('When the event was created, not when it is sent.'),
};

export const kindText = 'What the Run does, for example `creator_videos` or `tracker_cycle`. Later versions add kinds.';

const runTexts = {
  ...headTexts,
  run_id: id('run', 'The Run.'),
  kind: kindText,
  status: 'How the Run settled.',
  charge_usd: 'The charge of the Run in USD.',
  links: 'Where to read the results, with your API key or access token.',
};

export const linkTexts = {
  run: link('The Run.'),
  tracker: link('The Tracker.'),
  changes: link('The Change Reports of the Tracker.'),
};

export const eventSchemas = {
  RunCompletedEvent: described(runCompletedEvent, 'A Run settled as `completed`, `partial` or `failed`.', {
    ...runTexts,
    tracker_id: id('tracker', 'The Tracker that started the Run. Absent when none did.'),
  }),
  RunCompletedLinks: described(runCompletedLinks, 'Addresses of the results of a Run.', linkTexts),
  TrackerChangedEvent: described(trackerChangedEvent, 'A cycle of a Tracker found a change.', {
    ...runTexts,
    tracker_id: id('tracker', 'The Tracker.'),
    change_report_id: id('changeReport', 'The Change Report that the cycle wrote.'),
  }),
  TrackerChangedLinks: described(trackerChangedLinks, 'Addresses of the results of a cycle.', linkTexts),
  WebhookTestEvent: described(
    webhookTestEvent,
    'The test event of a registration, where a 2xx response activates the endpoint, or an example that you asked for.',
    {
      ...headTexts,
      webhook_id: id('webhook', 'The endpoint.'),
      example:
        'The body of an event of another type, as the service sends it. Present only if you asked for an example. ' +
        'Nothing happened: its links answer 404.',
      links: 'Empty: a test event has no results.',
    },
  ),
  WebhookTestLinks: described(webhookTestLinks, 'A test event has no links.', {}),
} as const;
