import type { Command } from 'commander';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { PlanRequest, ReplayPlan } from '#shared/operations/replays/plan-replays.ts';
import { ask, isInteractive } from './ask.ts';
import { bulkReplays } from './bulk-replays.ts';
import { findEndpoints } from './find-endpoints.ts';
import { interruptedExitCode, watchInterrupts } from './interrupts.ts';
import { type Output, show } from './output.ts';
import { planRequest, type ReplayOptions, withReplayOptions } from './replay-options.ts';
import { deliveriesText, planJson, planLines } from './replay-plan-text.ts';
import { type Expected, progressLine, progressText } from './replay-progress.ts';
import { replayRequests } from './replay-requests.ts';
import { replayJson, replayTable } from './replay-text.ts';
import { nextCommand, openTarget } from './target.ts';
import { UsageError } from './usage-error.ts';

type Replays = ReturnType<typeof bulkReplays>;

type Planned = { readonly request: PlanRequest; readonly plan: ReplayPlan };

export function addReplayCommand(replay: Command, print: Output): void {
  withReplayOptions(
    replay.description(
      'Replay the failed deliveries of an endpoint or customer: first the plan, then the replays',
    ),
  ).action((options: ReplayOptions) => runReplayCommand(print, options));
}

async function runReplayCommand(print: Output, options: ReplayOptions): Promise<void> {
  const request = planRequest(options);
  assertConfirmable(options);
  const target = await openTarget(options);
  const replays = bulkReplays(target);
  const planned = { request, plan: await replays.plan(await findEndpoints(target.table, options), request) };
  const { plan } = planned;
  if (options.dryRun === true || plan.deliveries === 0) {
    show(print, options, { plan: planJson(plan, request), replays: [] }, planLines(plan, request));
    return;
  }
  if (options.json !== true) print(`${planLines(plan, request).join('\n')}\n`);
  await assertNoneRunning(replays, planned, options);
  if (options.yes !== true && !(await ask(`Replay ${deliveriesText(plan.deliveries)}?`))) {
    throw new Error('Nothing was replayed');
  }
  await (options.detach === true ? detach : follow)(print, replays, planned, options);
}

/** Checked first: a script must not wait for a plan that it cannot confirm. */
function assertConfirmable({ dryRun, yes, json }: ReplayOptions): void {
  if (dryRun === true || yes === true || (json !== true && isInteractive())) return;
  throw new UsageError('Nobody can be asked here: add --yes to replay, or --dry-run to see the plan only');
}

async function assertNoneRunning(replays: Replays, { plan }: Planned, options: ReplayOptions): Promise<void> {
  for (const { endpoint, deliveries } of plan.endpoints) {
    const running = deliveries === 0 ? null : await replays.readRunning(endpoint.customerId, endpoint.id);
    if (running === null) continue;
    const command = (verb: string) =>
      nextCommand(
        options,
        `replays ${verb} ${running} --customer ${endpoint.customerId} --endpoint ${endpoint.id}`,
      );
    throw new Error(
      `Endpoint ${endpoint.id} has a running bulk replay, so nothing was started. Follow it with: ${command('show')}. ` +
        `Cancel it with: ${command('cancel')}`,
    );
  }
}

/** Starts all at once, with a share of the pace each, because nobody is there to start one after another. */
async function detach(
  print: Output,
  replays: Replays,
  planned: Planned,
  options: ReplayOptions,
): Promise<void> {
  const requests = replayRequests(planned.plan, planned.request, options, 'shared');
  const jobs: BulkReplay[] = [];
  try {
    for (const request of requests) jobs.push(await replays.start(request));
  } finally {
    const commands = jobs.map(({ customerId, webhookId }) =>
      nextCommand(options, `replays list --customer ${customerId} --endpoint ${webhookId}`),
    );
    showJobs(print, planned, jobs, options, ['Follow with:', ...commands]);
  }
}

async function follow(
  print: Output,
  replays: Replays,
  planned: Planned,
  options: ReplayOptions,
): Promise<void> {
  const requests = replayRequests(planned.plan, planned.request, options, 'whole');
  const line = progressLine(options.json === true ? () => undefined : print, process.stdout.isTTY === true);
  const expected = expectedOf(planned);
  const jobs = new Map<string, BulkReplay>();
  const interrupts = watchInterrupts(() => {
    line.end();
    process.stderr.write(`Left at once: ${runningText([...jobs.values()])}\n`);
  });
  const control = {
    isStopped: interrupts.isStopped,
    onProgress: (all: readonly BulkReplay[]) => {
      for (const job of all) jobs.set(job.id, job);
      line.show(progressText(all, expected));
    },
  };
  try {
    await replays.run(requests, control);
  } finally {
    interrupts.stopWatching();
    line.end();
    showJobs(print, planned, [...jobs.values()], options, []);
  }
  conclude([...jobs.values()], expected, interrupts.isStopped());
}

function runningText(jobs: readonly BulkReplay[]): string {
  const running = jobs.filter(({ status }) => status === 'running').map(({ id }) => id);
  return running.length === 0 ? 'no bulk replay is running' : `${running.join(', ')} goes on`;
}

function expectedOf({ plan, request }: Planned): Expected {
  const replayedEarlier = plan.endpoints
    .filter(({ deliveries }) => deliveries > 0)
    .reduce((sum, { skipped }) => sum + skipped.replayedEarlier, 0);
  return { deliveries: plan.deliveries, replayedEarlier, rate: request.rate };
}

function showJobs(
  print: Output,
  { plan, request }: Planned,
  jobs: readonly BulkReplay[],
  options: ReplayOptions,
  more: readonly string[],
): void {
  const json = { plan: planJson(plan, request), replays: jobs.map(replayJson) };
  if (options.json === true || jobs.length > 0) show(print, options, json, [...replayTable(jobs), ...more]);
}

/** @throws Error when a job was cancelled by somebody else */
function conclude(jobs: readonly BulkReplay[], { deliveries }: Expected, isStopped: boolean): void {
  const replayed = jobs.reduce((sum, job) => sum + job.replayed, 0);
  if (isStopped) {
    process.exitCode = interruptedExitCode;
    process.stderr.write(
      `Cancelled: replayed ${replayed} of ${deliveriesText(deliveries)}. Those on the queue are still sent, within ` +
        'about ten seconds. The same command continues with the rest\n',
    );
    return;
  }
  const cancelled = jobs.find(({ status }) => status === 'cancelled');
  if (cancelled === undefined) return;
  const why =
    cancelled.cancelReason === 'webhook_not_active' ? 'its endpoint was deleted' : 'somebody cancelled it';
  throw new Error(
    `Bulk replay ${cancelled.id} ended early: ${why}. The same command continues with the rest`,
  );
}
