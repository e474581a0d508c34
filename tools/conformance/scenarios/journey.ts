import { scenario } from '../harness/check.ts';
import { at } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import type { Context } from '../harness/session.ts';
import { until } from '../harness/until.ts';
import { mainEndpoint } from './endpoints.ts';
import { newId, openRun, settledRun, storedProblem, timeAgo, videos } from './messages.ts';

/** Codes that only the engine raises. `internal_error` cannot be provoked from outside, but a Run can carry it. */
export const engineProblems: readonly { code: string; members?: object }[] = [
  { code: 'insufficient_balance', members: { balance_usd: 0.5, required_usd: 1.25 } },
  { code: 'idempotency_conflict', members: { run_id: 'run_00000000000000000000000000' } },
  { code: 'unsupported_kind' },
  { code: 'concurrency_limit_exceeded' },
  { code: 'tracker_limit_exceeded' },
  { code: 'media_unavailable' },
  { code: 'vendor_error' },
  { code: 'internal_error' },
];

/** Number of items of the completed Run: more than two default pages. */
export const itemsOfRun = 60;

/** All messages that the engine sends in a run of the suite, sent at once. */
export const journey = scenario(['intake'], async (ctx) => {
  // Registered first, so that it receives the events.
  if (ctx.config.receiver !== undefined) await mainEndpoint(ctx);
  const facts = makeFacts(ctx);
  for (const message of messagesOf(ctx, facts)) {
    await ctx.intake().put({ customer_id: ctx.intake().customerId, ...message });
  }
  return facts;
});

export type Facts = ReturnType<typeof makeFacts>;

function makeFacts(ctx: Context) {
  const tracker = {
    id: newId(ctx, 'trk_'),
    kind: 'creator',
    status: 'active',
    created_at: timeAgo(ctx, 3_600),
  };
  const ofTracker = () => settledRun(ctx, 'completed', { tracker_id: tracker.id });
  const changed = [ofTracker(), ofTracker()];
  const reports = changed.map((run, index) => ({
    id: newId(ctx, 'chg_'),
    run_id: run.id,
    created_at: timeAgo(ctx, 20 - index * 10),
  }));
  return {
    running: openRun(ctx, 'running'),
    queued: openRun(ctx, 'queued'),
    completed: settledRun(ctx, 'completed'),
    empty: settledRun(ctx, 'completed'),
    failed: settledRun(ctx, 'failed', { error: storedProblem('vendor_error', { detail: 'The source was away' }) }),
    partial: settledRun(ctx, 'partial', {
      problems: engineProblems.map(({ code, members }) => storedProblem(code, members)),
    }),
    quiet: ofTracker(),
    tracker,
    changed,
    reports,
  };
}

function settledRuns({ completed, empty, failed, partial, quiet, changed }: Facts) {
  return [completed, empty, failed, partial, quiet, ...changed];
}

function messagesOf(ctx: Context, facts: Facts): readonly object[] {
  const runMessages = settledRuns(facts).map((run) => ({ type: 'run.settled', run }));
  return [
    { type: 'run.saved', run: facts.running },
    { type: 'run.saved', run: facts.queued },
    { type: 'tracker.saved', tracker: facts.tracker },
    { type: 'run.items_saved', run_id: facts.completed.id, items: videos(ctx, 'items', itemsOfRun) },
    ...runMessages,
    // The engine may send a message twice.
    ...runMessages.slice(0, 1),
    ...facts.reports.map((change_report, index) => ({
      type: 'change_report.written',
      tracker_id: facts.tracker.id,
      change_report,
      run: facts.changed[index],
    })),
  ];
}

/** All events of the journey at the main endpoint. */
export const journeyEvents = scenario(['receiver', 'intake'], async (ctx) => {
  const facts = await journey(ctx);
  const { endpoint } = await mainEndpoint(ctx);
  const wanted = wantedEvents(facts);
  const posts = await until(
    ctx,
    `every event of the journey (${wanted.length})`,
    async () => {
      const all = await ctx.receiver().inbox(endpoint.mailbox);
      return wanted.every(({ type, runId }) => eventsOf(all, type, runId).length > 0) ? all : undefined;
    },
    { seconds: 30 },
  );
  return { facts, posts };
});

function wantedEvents(facts: Facts): readonly { type: string; runId: string }[] {
  return [
    ...settledRuns(facts).map(({ id }) => ({ type: 'run.completed', runId: id })),
    ...facts.changed.map(({ id }) => ({ type: 'tracker.changed', runId: id })),
  ];
}

export function eventsOf(posts: readonly Received[], type: string, runId: string): readonly Received[] {
  return posts.filter(({ json }) => at(json, 'type') === type && at(json, 'run_id') === runId);
}
