import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { folderOf, type InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import { type CallService, createServiceClient } from '../../local/stack/service-client.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import type { BenchContext } from '../bench.ts';
import { type BenchStack, startBenchStack } from '../support/bench-stack.ts';
import type { Recipient } from '../support/load.ts';
import type { Parties } from '../support/parties.ts';
import type { AwsCall } from './aws-call.ts';
import type { Usage } from './bill.ts';
import { AwsMeter } from './meter.ts';
import { type Audience, customers, fanOutEndpoints, type Scenario } from './scenario.ts';

/** A call with the name of its caller: a function, a part of AWS, or the Run engine. */
export type NamedCall = AwsCall & { readonly caller: string };

export type Played = Usage & { readonly calls: readonly NamedCall[] };

export type MeteredStack = {
  /** Plays the events of a scenario until every delivery has ended. */
  readonly play: (scenario: Scenario) => Promise<Played>;
};

/** Longer than the visibility timeout of the queues: the messages of a function that dies on a busy machine wait for it. */
const patienceMs = 300_000;
const lookEveryMs = 200;

/** The waits of 10 and 50 minutes become 2 and 10 seconds: an attempt may also fail because the machine is busy. */
const timeScale = 300;

/** Starts a stack whose emulators are behind a meter. */
export async function startMeteredStack(
  parts: AsyncDisposableStack,
  parties: Parties,
  context: BenchContext,
): Promise<MeteredStack> {
  const meter = parts.use(new AwsMeter());
  const invocations: InvocationRecord[] = [];
  const log = { bytes: 0 };
  const bench = parts.use(
    await startBenchStack(parties, context, {
      functionsIn: 'processes',
      timeScale,
      wrapService: (service, url) => meter.inFrontOf(service, url),
      onInvocation: (record) => void invocations.push(record),
      onLogLine: (source, line) => {
        if (isPipeline(folderOf({ title: source }))) log.bytes += Buffer.byteLength(line) + 1;
      },
    }),
  );
  const recipients = await addRecipients(bench);
  const named = nameCalls(bench);
  return {
    play: async ({ audience, events, pace, deliveries, attempts }) => {
      const before = (await parties.received()).arrivals.length;
      meter.take();
      invocations.length = 0;
      log.bytes = 0;
      await parties.play(bench.load({ recipients: recipients[audience], count: events, pace, patienceMs }));
      await settled(bench, parties, before + events * deliveries * attempts, context.signal);
      const billed = invocations.filter(({ folder }) => isPipeline(folder));
      return { calls: named(meter.take()), invocations: billed, logBytes: log.bytes };
    },
  };
}

/** The sweep and the audit cost money by time, not by event. */
function isPipeline(folder: string): boolean {
  return folder.startsWith('queue/');
}

async function addRecipients(bench: BenchStack): Promise<Readonly<Record<Audience, readonly Recipient[]>>> {
  const tenCustomers = await bench.addEndpoints(customers);
  return {
    oneEndpoint: tenCustomers.slice(0, 1),
    tenCustomers,
    fanOut: [await bench.addFanOut(fanOutEndpoints)],
    failing: await bench.addEndpoints(1, '?status=500'),
  };
}

/** Waits until all POSTs have arrived, and no message and no schedule is left. */
async function settled(
  { stack: { info, scheduleHistoryUrl } }: BenchStack,
  parties: Parties,
  posts: number,
  signal: AbortSignal,
): Promise<void> {
  const { call, close } = createServiceClient('sqs', info.endpoints.sqs);
  const giveUpAt = performance.now() + patienceMs;
  try {
    for (;;) {
      const { arrivals } = await parties.received();
      const queues = queueUrls(info).flatMap(([role, url]) => (role.includes('dead_letter') ? [] : [url]));
      const depths = await Promise.all(queues.map((url) => queueDepth(call, url)));
      const messages = depths.reduce((sum, depth) => sum + depth, 0);
      if (arrivals.length >= posts && messages === 0 && (await waitingSchedules(scheduleHistoryUrl)) === 0)
        return;
      if (performance.now() > giveUpAt) {
        throw new Error(
          `Cannot measure: ${arrivals.length} of ${posts} POSTs arrived, ${messages} messages wait`,
        );
      }
      await sleep(lookEveryMs, undefined, { signal });
    }
  } finally {
    close();
  }
}

/** The queues of the stack by their roles. */
function queueUrls(info: StackFile): readonly (readonly [role: string, url: string])[] {
  return Object.entries(info).flatMap(([key, value]) =>
    key.endsWith('_queue_url') && typeof value === 'string' ? [[key.replace(/_queue_url$/, ''), value]] : [],
  );
}

const depthAnswer = z.object({
  Attributes: z.object({
    ApproximateNumberOfMessages: z.coerce.number(),
    ApproximateNumberOfMessagesNotVisible: z.coerce.number(),
  }),
});

/** Messages that wait or are in flight. */
async function queueDepth(call: CallService, queueUrl: string): Promise<number> {
  const answer = await call('GetQueueAttributes', { QueueUrl: queueUrl, AttributeNames: ['All'] });
  const { ApproximateNumberOfMessages: waiting, ApproximateNumberOfMessagesNotVisible: inFlight } =
    depthAnswer.parse(answer).Attributes;
  return waiting + inFlight;
}

const scheduleHistory = z.array(z.object({ fired_at: z.string().nullable() }));

async function waitingSchedules(historyUrl: string): Promise<number> {
  const history = scheduleHistory.parse(await (await fetch(historyUrl)).json());
  return history.filter(({ fired_at }) => fired_at === null).length;
}

/** Names callers and queues, and drops calls that no event causes. */
function nameCalls({
  stack: { info, model },
}: BenchStack): (calls: readonly AwsCall[]) => readonly NamedCall[] {
  const folders = new Map(model.functions.map((each) => [each.name, folderOf(each)]));
  const queues = queueUrls(info).map(([role, url]) => [url.slice(url.lastIndexOf('/') + 1), role] as const);
  const withRole = (name: string) =>
    queues.reduce(
      (text, [physical, role]) => (text.endsWith(` ${physical}`) ? text.replace(physical, role) : text),
      name,
    );
  return (calls) =>
    calls
      .filter(({ name, messages, service }) => service !== 'sqs' || (messages > 0 && !name.startsWith('Get')))
      .map((call) => ({ ...call, name: withRole(call.name) }))
      .map((call) => ({ ...call, caller: callerOf(call, folders) }))
      .filter(({ caller }) => caller !== 'Run engine' && (isPipeline(caller) || !caller.includes('/')));
}

/** Calls without a session come from the event source mapping, from Scheduler, or from the Run engine. */
function callerOf({ session, name }: AwsCall, folders: ReadonlyMap<string, string>): string {
  if (session !== null) return folders.get(session) ?? session;
  if (name === 'SendMessage intake') return 'Run engine';
  return name.startsWith('SendMessage') ? 'Scheduler' : 'event source mapping';
}
