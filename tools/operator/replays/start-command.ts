import type { Command } from 'commander';
import { readCustomers } from '#shared/aws/table/credentials/customers.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan, PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import type { RefusedReplay, RunResult } from '#shared/operations/operator/run-bulk-replays.ts';
import { ask, assertConfirmable } from '../cli/ask.ts';
import { interruptedExitCode, watchInterrupts } from '../cli/interrupts.ts';
import { type Output, show } from '../cli/output.ts';
import { findEndpoints } from '../cli/place-options.ts';
import { nextCommand, openTarget, type Target } from '../cli/target.ts';
import { bulkReplays } from './bulk-replays.ts';
import { endpointsAtOnce, planRequest, type ReplayOptions, withReplayOptions } from './replay-options.ts';
import { allPlanLines, deliveriesText, planJson, planLines } from './replay-plan-text.ts';
import { type Expected, progressLine, progressText } from './replay-progress.ts';
import { replayRequests, withSharedPace } from './replay-requests.ts';
import { allReplaysLines, faultsText, replayedBy, replayJson, replayTable } from './replay-text.ts';

type Replays = ReturnType<typeof bulkReplays>;

/** One run of the command, with its plan. */
type Run = {
  readonly print: Output;
  readonly options: ReplayOptions;
  readonly replays: Replays;
  readonly request: PlanRequest;
  readonly plan: BulkReplayPlan;
};

export function addStartCommand(start: Command, print: Output): void {
  withReplayOptions(
    start.description(
      'Replay the failed deliveries of an endpoint, a customer or all customers: first the plan, then the replays',
    ),
  ).action((options: ReplayOptions) => startReplays(print, options));
}

async function startReplays(print: Output, options: ReplayOptions): Promise<void> {
  const request = planRequest(options);
  assertConfirmable(options);
  const target = await openTarget(options);
  const replays = bulkReplays(target);
  const { plan, lines } = await (options.all === true ? planAll : planSome)(
    target,
    replays,
    request,
    options,
  );
  if (options.dryRun === true || plan.deliveries === 0) {
    show(print, options, { plan: planJson(plan, request), replays: [] }, lines);
    return;
  }
  if (options.json !== true) print(`${lines.join('\n')}\n`);
  const run: Run = { print, options, replays, request, plan };
  if (options.all !== true) await assertNoneRunning(run);
  if (options.yes !== true && !(await ask(`Replay ${deliveriesText(plan.deliveries)}?`))) {
    throw new Error('Nothing was replayed');
  }
  await (options.detach === true ? detach(run) : follow(run));
}

/** A plan, and its lines for a person. */
type Planned = { readonly plan: BulkReplayPlan; readonly lines: readonly string[] };

async function planSome(
  { table }: Target,
  replays: Replays,
  request: PlanRequest,
  options: ReplayOptions,
): Promise<Planned> {
  const plan = await replays.plan(await findEndpoints(table, options), request);
  return { plan, lines: planLines(plan, request) };
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
  return { plan, lines: allPlanLines(plan, request, customers) };
}

async function assertNoneRunning({ replays, plan, options }: Run): Promise<void> {
  for (const { endpoint, deliveries } of plan.endpoints) {
    const running = deliveries === 0 ? null : await replays.readRunning(endpoint.customerId, endpoint.id);
    if (running === null) continue;
    const place = `--customer ${endpoint.customerId} --endpoint ${endpoint.id}`;
    const command = (verb: string) => nextCommand(options, `replay ${verb} ${running} ${place}`);
    throw new Error(
      `Endpoint ${endpoint.id} has a running bulk replay, so nothing was started. Follow it with: ${command('show')}. ` +
        `Cancel it with: ${command('cancel')}`,
    );
  }
}

/** Starts all at once, with a share of the pace each, because nobody is there to start one after another. */
async function detach(run: Run): Promise<void> {
  const { plan, request, options, replays } = run;
  const requests = withSharedPace(replayRequests(plan, request, options), request.rate);
  const jobs: BulkReplay[] = [];
  try {
    for (const one of requests) jobs.push(await replays.start(one));
  } finally {
    const commands = jobs.map(({ customerId, webhookId }) =>
      nextCommand(options, `replay list --customer ${customerId} --endpoint ${webhookId}`),
    );
    showJobs(run, jobs, ['Follow with:', ...commands]);
  }
}

async function follow(run: Run): Promise<void> {
  const { print, plan, request, options, replays } = run;
  const line = progressLine(options.json === true ? () => undefined : print, process.stdout.isTTY === true);
  const expected = expectedOf(run);
  let jobs: readonly BulkReplay[] = [];
  let refused: readonly RefusedReplay[] = [];
  const interrupts = watchInterrupts(() => {
    line.end();
    process.stderr.write(`Exiting now; ${runningText(jobs)}\n`);
  });
  const { rate } = request;
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
    ({ refused } = await replays.run(replayRequests(plan, request, options), control));
  } finally {
    interrupts.stopWatching();
    line.end();
    showJobs(run, jobs);
  }
  conclude({ jobs, refused }, expected, interrupts.isStopped());
}

function runningText(jobs: readonly BulkReplay[]): string {
  const running = jobs.filter(({ status }) => status === 'running').map(({ id }) => id);
  if (running.length === 0) return 'no bulk replay is running';
  return running.length === 1
    ? `bulk replay ${running[0]} continues`
    : `bulk replays ${running.join(', ')} continue`;
}

function expectedOf({ plan, request }: Run): Expected {
  const replayedEarlier = plan.endpoints
    .filter(({ deliveries }) => deliveries > 0)
    .reduce((sum, { skipped }) => sum + skipped.replayedEarlier, 0);
  return { deliveries: plan.deliveries, replayedEarlier, rate: request.rate };
}

function showJobs(
  { print, options, plan, request }: Run,
  jobs: readonly BulkReplay[],
  more: readonly string[] = [],
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
