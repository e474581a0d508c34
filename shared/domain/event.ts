/** The types of which a customer can ask for an example. */
export const exampleTypes = ['run.completed', 'tracker.changed'] as const;
export type ExampleType = (typeof exampleTypes)[number];

/**
 * The events that endpoints receive. An event's body is built once, as compact JSON: the same bytes are sent on every
 * attempt and every replay, to every endpoint.
 */
export const eventTypes = [...exampleTypes, 'webhook.test'] as const;
export type EventType = (typeof eventTypes)[number];

/** The Run facts that an event carries: identifiers and outcome, no results. */
export type EventRun = {
  readonly id: string;
  readonly kind: string;
  /** `completed`, `partial`, `failed`, or a status of another release. */
  readonly status: string;
  readonly chargeUsd: number;
  readonly trackerId: string | null;
};

/** The facts of an event that its deliveries show. */
export type EventSummary = {
  readonly id: string;
  /** An `EventType`, or one of another release. */
  readonly type: string;
  readonly runId: string | null;
  readonly trackerId: string | null;
  readonly changeReportId: string | null;
  /** The type of the example that a test event carries: an `ExampleType`, or one of another release. */
  readonly exampleType: string | null;
};

/** `createdAt` in epoch milliseconds. */
type EventHead = { readonly id: string; readonly createdAt: number };

/** The body of a `run.completed` event. @param baseUrl public address of the API without a trailing slash */
export function runCompletedBody(event: EventHead, run: EventRun, baseUrl: string): string {
  return JSON.stringify(runCompleted(event, run, baseUrl));
}

/** The body of a `tracker.changed` event. @param baseUrl public address of the API without a trailing slash */
export function trackerChangedBody(event: EventHead, run: TrackerRun, changeReportId: string, baseUrl: string): string {
  return JSON.stringify(trackerChanged(event, run, changeReportId, baseUrl));
}

/** The body of a `webhook.test` event. */
export function webhookTestBody(event: EventHead, webhookId: string): string {
  return JSON.stringify(webhookTest(event, webhookId));
}

/** What an example is about. Nothing with these ids is stored. */
export type ExampleSubject = {
  readonly runId: string;
  readonly trackerId: string;
  readonly changeReportId: string;
};

/**
 * The body of a `webhook.test` event that carries the whole body of another type. The example has the id and the time of
 * its event, and costs nothing, because no Run was made.
 *
 * @param baseUrl public address of the API without a trailing slash
 */
export function exampleBody(
  event: EventHead,
  webhookId: string,
  type: ExampleType,
  subject: ExampleSubject,
  baseUrl: string,
): string {
  const example = exampleMakers[type](event, subject, baseUrl);
  return JSON.stringify({ ...webhookTest(event, webhookId), example });
}

type MakeExample = (event: EventHead, subject: ExampleSubject, baseUrl: string) => object;

const exampleMakers: Readonly<Record<ExampleType, MakeExample>> = {
  'run.completed': (event, { runId: id }, baseUrl) =>
    runCompleted(event, { ...exampleRun, id, kind: 'creator_videos', trackerId: null }, baseUrl),
  'tracker.changed': (event, { runId: id, trackerId, changeReportId }, baseUrl) =>
    trackerChanged(event, { ...exampleRun, id, kind: 'tracker_cycle', trackerId }, changeReportId, baseUrl),
};

const exampleRun = { status: 'completed', chargeUsd: 0 } as const;

/** The link to a stored Run. */
export function runLinks(runId: string, baseUrl: string): { readonly run: string } {
  return { run: `${baseUrl}/v1/runs/${encodeURIComponent(runId)}` };
}

/** The links to a stored Tracker and its Change Reports. */
export function trackerLinks(
  trackerId: string,
  baseUrl: string,
): { readonly tracker: string; readonly changes: string } {
  const tracker = `${baseUrl}/v1/trackers/${encodeURIComponent(trackerId)}`;
  return { tracker, changes: `${tracker}/changes` };
}

type TrackerRun = EventRun & { readonly trackerId: string };

function runCompleted(event: EventHead, run: EventRun, baseUrl: string) {
  return {
    ...head(event, 'run.completed'),
    ...runMembers(run),
    ...(run.trackerId === null ? {} : { tracker_id: run.trackerId }),
    links: links(run, baseUrl),
  };
}

function trackerChanged(event: EventHead, run: TrackerRun, changeReportId: string, baseUrl: string) {
  return {
    ...head(event, 'tracker.changed'),
    ...runMembers(run),
    tracker_id: run.trackerId,
    change_report_id: changeReportId,
    links: links(run, baseUrl),
  };
}

function webhookTest(event: EventHead, webhookId: string) {
  return { ...head(event, 'webhook.test'), webhook_id: webhookId, links: {} };
}

function head(event: EventHead, type: EventType) {
  return { id: event.id, type, created_at: new Date(event.createdAt).toISOString() };
}

function runMembers(run: EventRun) {
  return { run_id: run.id, kind: run.kind, status: run.status, charge_usd: run.chargeUsd };
}

function links(run: EventRun, baseUrl: string) {
  return {
    ...runLinks(run.id, baseUrl),
    ...(run.trackerId === null ? {} : trackerLinks(run.trackerId, baseUrl)),
  };
}
