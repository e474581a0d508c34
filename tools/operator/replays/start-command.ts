import type { Command } from 'commander';
import { sendReplayStep } from '#shared/aws/queues/replay-queue.ts';
import { readCustomers } from '#shared/aws/table/credentials/customers.ts';
import { readRunningReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan, PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import { planBulkReplays } from '#shared/operations/operator/plan-bulk-replays.ts';
import { type RunResult, runBulkReplays } from '#shared/operations/operator/run-bulk-replays.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { planEndpoints } from '#shared/operations/replays/plan-bulk-replay.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { now, randomBytes, wait } from '#shared/runtime/system.ts';
import { assertConfirmable, confirm } from '../cli/ask.ts';
import { explainFailure } from '../cli/explain-failure.ts';
import { interruptedExitCode, watchInterrupts } from '../cli/interrupts.ts';
import { findEndpoints } from '../cli/place-options.ts';
import { progressLine, terminalProgress } from '../cli/progress-line.ts';
import { type Invocation, invoke, type Target } from '../cli/target.ts';
import { endpointsAtOnce, planRequest, type ReplayOptions, withReplayOptions } from './replay-options.ts';
import { allPlanLines, deliveriesText, planJson, planLines, startText } from './replay-plan-text.ts';
import { explainStart, nothingTwice, replayRequests, withSharedPace } from './replay-requests.ts';
import {
  allReplaysLines,
  expectedOf,
  faultsText,
  progressText,
  replayedBy,
  replayJson,
  replayTable,
} from './replay-text.ts';
import { startSafely } from './start-safely.ts';

type Start = Invocation<ReplayOptions>;

/** One run of the command, with its plan. */
type Planned = Start & {
  readonly replays: ReturnType<typeof bulkReplays>;
  readonly request: PlanRequest;
  readonly plan: BulkReplayPlan;
  /** The plan for a person. */
  readonly lines: readonly string[];
};

export function addStartCommand(start: Command): void {
  withReplayOptions(start).action(invoke(startReplays));
}

async function startReplays(start: Start): Promise<void> {
  const { options, print, show } = start;
  const request = planRequest(options);
  assertConfirmable(options);
  const target = await start.open();
  const { plan, lines } = await (options.all === true ? planAll : planSome)(target, request, start);
  if (options.dryRun === true || plan.deliveries === 0) {
    const commands = plan.deliveries === 0 ? [] : [`Next: ${start.next(startText(options, request))}`];
    return show({ plan: planJson(plan, request), replays: [] }, [...lines, ...commands]);
  }
  if (options.json !== true) print(`${lines.join('\n')}\n`);
  const planned = { ...start, replays: bulkReplays(target), request, plan, lines };
  if (options.all !== true) await assertNoneRunning(planned);
  await confirm(options, `Replay ${deliveriesText(plan.deliveries)}?`);
  await (options.detach === true ? detach(planned) : follow(planned));
}

async function planSome({ table }: Target, request: PlanRequest, start: Start) {
  const endpoints = await findEndpoints(table, start);
  const plan = await planEndpoints(table, endpoints, request);
  return { plan, lines: planLines(plan, request) };
}

/** Shows on a terminal how far it is: with many customers, it takes a while. */
async function planAll({ table }: Target, request: PlanRequest, { options }: Start) {
  const customers = await readCustomers(table);
  const line = terminalProgress(options);
  let planned = 0;
  const plan = await planBulkReplays(table, customers, request, () => {
    planned += 1;
    line.show({ count: planned, line: `Planned ${planned} of ${customers.length} customers` });
  }).finally(line.end);
  return { plan, lines: allPlanLines(plan, request, customers) };
}

async function assertNoneRunning({ replays, plan, next }: Planned): Promise<void> {
  for (const { endpoint, deliveries } of plan.endpoints) {
    const running = deliveries === 0 ? null : await replays.readRunning(endpoint.customerId, endpoint.id);
    if (running === null) continue;
    const place = `--customer ${endpoint.customerId} --endpoint ${endpoint.id}`;
    throw new Error(
      `Endpoint ${endpoint.id} has a running bulk replay, so nothing was started. ` +
        `Follow it with: ${next(`replay show ${running} ${place}`)}. ` +
        `Cancel it with: ${next(`replay cancel ${running} ${place}`)}`,
    );
  }
}

/** Starts all at once, with a share of the pace each, because nobody is there to start one after another. */
async function detach(planned: Planned): Promise<void> {
  const { plan, request, options, replays, next } = planned;
  const requests = withSharedPace(replayRequests(plan, request, options), request.rate);
  const jobs: BulkReplay[] = [];
  try {
    for (const one of requests) jobs.push(await replays.start(one).catch(explainStart(one)));
  } finally {
    const commands = jobs.map(({ customerId, webhookId }) =>
      next(`replay list --customer ${customerId} --endpoint ${webhookId}`),
    );
    await showJobs(planned, jobs, ['Follow with:', ...commands]);
  }
}

async function follow(planned: Planned): Promise<void> {
  const { print, plan, request, options, replays } = planned;
  const line = progressLine(options.json === true ? () => undefined : print, process.stdout.isTTY === true);
  const expected = expectedOf(plan, request);
  let jobs: readonly BulkReplay[] = [];
  const interrupts = watchInterrupts(() => {
    line.end();
    process.stderr.write(`Exiting now; ${runningText(jobs)}\n`);
  });
  const run = replays.run(replayRequests(plan, request, options), {
    rate: request.rate,
    atOnce: options.all === true ? Math.min(endpointsAtOnce, request.rate) : 1,
    isStopped: interrupts.isStopped,
    onProgress: (all) => {
      jobs = all;
      line.show(progressText(jobs, expected));
    },
  });
  const ended = run.catch((error: unknown) => {
    throw new Error(`${explainFailure(error)}. As far as is known, ${runningText(jobs)}. ${nothingTwice}`);
  });
  const { refused } = await ended.finally(async () => {
    interrupts.stopWatching();
    line.end();
    await showJobs(planned, jobs);
  });
  conclude({ jobs, refused }, plan, interrupts.isStopped());
}

function runningText(jobs: readonly BulkReplay[]): string {
  const running = jobs.filter(({ status }) => status === 'running').map(({ id }) => id);
  if (running.length === 0) return 'no bulk replay is running';
  return running.length === 1 ? `bulk replay ${running[0]} continues` : `bulk replays ${running.join(', ')} continue`;
}

async function showJobs(
  { options, plan, request, replays, show }: Planned,
  jobs: readonly BulkReplay[],
  more: readonly string[] = [],
): Promise<void> {
  // What is shown after a failure must not fail too.
  const counted = await inGroups(jobs, (job) => replays.count(job).catch(() => ({ ...job, outcomes: null })));
  const json = { plan: planJson(plan, request), replays: counted.map(replayJson) };
  const lines = options.all === true ? allReplaysLines(counted) : replayTable(counted);
  if (options.json === true || jobs.length > 0) show(json, [...lines, ...more]);
}

/** @throws Error when a job was refused, or cancelled by somebody else */
function conclude({ jobs, refused }: RunResult, { deliveries }: BulkReplayPlan, isStopped: boolean): void {
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

/** The operations of bulk replays on a stage. The functions log what the jobs do, and who asked for them. */
function bulkReplays({ table, queues, replayQueueUrl }: Target) {
  const once = startBulkReplay({
    table,
    now,
    randomBytes,
    report: () => undefined,
    sendReplayStep: sendReplayStep(queues, replayQueueUrl),
  });
  const start = startSafely({ now, randomBytes, wait, start: once });
  return {
    start,
    readRunning: (customerId: string, webhookId: string) => readRunningReplay(table, customerId, webhookId),
    count: (job: BulkReplay) => countOutcomes(table, job),
    run: runBulkReplays({
      table,
      wait,
      startBulkReplay: start,
      cancelBulkReplay: cancelBulkReplay({ table, now }),
    }),
  };
}
