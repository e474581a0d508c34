import type { Command } from 'commander';
import { readCustomers } from '#shared/aws/table/credentials/customers.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { RefusedReplay, RunResult } from '#shared/operations/operator/run-replays.ts';
import type { PlanRequest, ReplayPlan } from '#shared/operations/replays/plan-replays.ts';
import { ask, isInteractive } from '../cli/ask.ts';
import { interruptedExitCode, watchInterrupts } from '../cli/interrupts.ts';
import { type Output, show } from '../cli/output.ts';
import { nextCommand, openTarget, type Target } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { findEndpoints } from '../endpoints/find-endpoints.ts';
import { bulkReplays } from './bulk-replays.ts';
import { endpointsAtOnce, planRequest, type ReplayOptions, withReplayOptions } from './replay-options.ts';
import { allPlanLines, deliveriesText, planJson, planLines } from './replay-plan-text.ts';
import { type Expected, progressLine, progressText } from './replay-progress.ts';
import { replayRequests, withSharedPace } from './replay-requests.ts';
import { allReplaysLines, faultsText, replayedBy, replayJson, replayTable } from './replay-text.ts';

type Replays = ReturnType<typeof bulkReplays>;

type Planned = {
  readonly request: PlanRequest;
  readonly plan: ReplayPlan;
  /** For a person. */
  readonly lines: readonly string[];
};

export function addReplayCommand(replay: Command, print: Output): void {
  withReplayOptions(
    replay.description(
      'Replay the failed deliveries of an endpoint, a customer or all customers: first the plan, then the replays',
    ),
  ).action((options: ReplayOptions) => runReplayCommand(print, options));
}

async function runReplayCommand(print: Output, options: ReplayOptions): Promise<void> {
  const request = planRequest(options);
  assertConfirmable(options);
  const target = await openTarget(options);
  const replays = bulkReplays(target);
  const planned = await (options.all === true ? planAll : planSome)(target, replays, request, options);
  const { plan, lines } = planned;
  if (options.dryRun === true || plan.deliveries === 0) {
    show(print, options, { plan: planJson(plan, request), replays: [] }, lines);
    return;
  }
  if (options.json !== true) print(`${lines.join('\n')}\n`);
  if (options.all !== true) await assertNoneRunning(replays, planned, options);
  if (options.yes !== true && !(await ask(`Replay ${deliveriesText(plan.deliveries)}?`))) {
    throw new Error('Nothing was replayed');
  }
  await (options.detach === true ? detach : follow)(print, replays, planned, options);
}

async function planSome(
  { table }: Target,
  replays: Replays,
  request: PlanRequest,
  options: ReplayOptions,
): Promise<Planned> {
  const plan = await replays.plan(await findEndpoints(table, options), request);
  return { request, plan, lines: planLines(plan, request) };
}

/** Shows on a terminal how far it is: with many customers, it takes a while. */
async function planAll(
  { table }: Target,
  replays: Replays,
  request: PlanRequest,
  { json }: ReplayOptions,
): Promise<Planned> {
  const customers = await readCustomers(table)();
  const isShown = json !== true && process.stderr.isTTY === true;
  const line = progressLine(isShown ? (text) => process.stderr.write(text) : () => undefined, true);
  let planned = 0;
  const plan = await replays
    .planAll(customers, request, () => {
      planned += 1;
      line.show({ replayed: planned, line: `Planned ${planned} of ${customers.length} customers` });
    })
    .finally(line.end);
  return { request, plan, lines: allPlanLines(plan, request, customers) };
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
  const { plan, request } = planned;
  const requests = withSharedPace(replayRequests(plan, request, options), request.rate);
  const jobs: BulkReplay[] = [];
  try {
    for (const one of requests) jobs.push(await replays.start(one));
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
  const requests = replayRequests(planned.plan, planned.request, options);
  const line = progressLine(options.json === true ? () => undefined : print, process.stdout.isTTY === true);
  const expected = expectedOf(planned);
  let jobs: readonly BulkReplay[] = [];
  let refused: readonly RefusedReplay[] = [];
  const interrupts = watchInterrupts(() => {
    line.end();
    process.stderr.write(`Left at once: ${runningText(jobs)}\n`);
  });
  const { rate } = planned.request;
  const control = {
    rate,
    atOnce: options.all === true ? Math.min(endpointsAtOnce, rate) : 1,
    isStopped: interrupts.isStopped,
    onProgress: (all: readonly BulkReplay[]) => {
      jobs = all;
      line.show(progressText(all, expected));
    },
  };
  try {
    ({ refused } = await replays.run(requests, control));
  } finally {
    interrupts.stopWatching();
    line.end();
    showJobs(print, planned, jobs, options, []);
  }
  conclude({ jobs, refused }, expected, interrupts.isStopped());
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
  const lines = options.all === true ? allReplaysLines(jobs) : replayTable(jobs);
  if (options.json === true || jobs.length > 0) show(print, options, json, [...lines, ...more]);
}

/** @throws Error when a job was refused, or cancelled by somebody else */
function conclude({ jobs, refused }: RunResult, { deliveries }: Expected, isStopped: boolean): void {
  if (isStopped) {
    process.exitCode = interruptedExitCode;
    process.stderr.write(
      `Cancelled: replayed ${replayedBy(jobs)} of ${deliveriesText(deliveries)}. Those on the queue are still sent, ` +
        'within about ten seconds. The same command continues with the rest\n',
    );
    return;
  }
  const faults = faultsText({ jobs, refused });
  if (faults !== null) throw new Error(faults);
}
