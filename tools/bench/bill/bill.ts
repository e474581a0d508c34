import { profiles } from '../../../lib/settings/profiles.ts';
import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import { synthesizeApp } from '../../local/stack/synthesize-app.ts';
import type { BenchContext, Benchmark, BenchResult } from '../bench.ts';
import { budgets } from '../budgets.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
import { type Spread, spreadOf } from '../figures.ts';
import { type AwsCall, noUnits } from '../meter/aws-call.ts';
import { AwsMeter } from '../meter/meter.ts';
import { type PricedCall, usdOfCalls, usdOfLogs, usdOfMemory } from '../meter/prices.ts';
import { burst, startSubject } from '../pipeline/rounds.ts';
import { acceptedToPost, type Load } from '../support/load.ts';
import { verifiedNote } from '../support/verify-delivered.ts';

/** A rate at which batches hold one event, unless functions wait for more. */
const trickle = { perSecond: 10, seconds: 20 } as const;

type Sent = Pick<Load, 'count' | 'perRequest' | 'pace'>;

/** All at once and ten in a request, as `sendMessages` of the producer does, so that the queue has full batches. */
const inBursts: Sent = { count: burst.events, perRequest: 10, pace: { inFlight: burst.inFlight } };
const atTrickle: Sent = {
  count: trickle.perSecond * trickle.seconds,
  pace: { perSecond: trickle.perSecond },
};

/** Not one event after the other, because functions may wait for more. */
const warmUp = { count: 600, pace: { perSecond: 150 } } as const;

const fullBatches = 'full batches to 1 endpoint';

const timeoutMs = 30_000;

/** Lambda begins with five functions for a queue, so at a small rate that many share the messages. */
const startOfLambda = { concurrentExecutions: '50', deliveryConcurrency: '5' } as const;

/** What the local stack cannot tell, in milliseconds: how long a receiver takes, and a call of AWS (3 to 6). */
const [receiverMs, awsCallMs] = [200, 5];

/** Calls of the sender, and of the pollers of queues that stay empty. */
const isOutside = /^SendMessageBatch .*IntakeQueue|^ReceiveMessage .*(SlowDelivery|Replay)Queue/;

/** One vCPU, in megabytes of a function. */
const megabytesPerCpu = 1_769;

type Priced = {
  readonly label: string;
  readonly latency: Spread;
  /** Events that share an invocation of the intake, and of the delivery. */
  readonly batches: readonly [number, number];
  /** Requests to DynamoDB for an event. */
  readonly tableCalls: number;
  /** US dollars for a million events: DynamoDB, SQS, functions, log lines. */
  readonly usd: readonly number[];
};

export const bill: Benchmark = {
  name: 'bill',
  description: 'price of an event, and its delay, with each profile; two minutes',
  isShort: true,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  await buildBundles();
  const measured: Priced[] = [];
  const notes: string[] = [];
  for (const [profile, { batchWindow }] of Object.entries(profiles)) {
    context.say(`Starting a local stack with profile ${profile}`);
    await using parts = new AsyncDisposableStack();
    const stage = await startStage(parts, context, String(batchWindow));
    measured.push(await stage.price(`${profile}, ${trickle.perSecond} a second to 10 endpoints`, atTrickle));
    if (batchWindow === 0) {
      measured.push(await stage.price('full batches to 10 endpoints', inBursts));
      measured.push(await stage.price(fullBatches, inBursts, 1));
    }
    notes.push(verifiedNote(await stage.verify()));
  }
  return resultOf(measured, notes);
}

async function startStage(parts: AsyncDisposableStack, context: BenchContext, batchWindow: string) {
  const meter = parts.use(new AwsMeter());
  const invocations: InvocationRecord[] = [];
  const subject = await startSubject(parts, context, bundleFolder, {
    onInvocation: (record) => void invocations.push(record),
    wrapService: (service, url) => meter.inFrontOf(service, url),
    synthesize: (request) =>
      synthesizeApp({ ...request, context: { ...request.context, ...startOfLambda, batchWindow } }),
  });
  const { bench, cpuMs, customers } = subject;
  await bench.play({ ...warmUp, customers, timeoutMs });

  async function price(label: string, load: Sent, endpoints = customers.length): Promise<Priced> {
    const [cpu, logged] = [await cpuMs(), bench.logBytes()];
    meter.take();
    invocations.length = 0;
    const events = await bench.play({ ...load, customers: customers.slice(0, endpoints), timeoutMs });
    const calls = meter.take().filter(({ name }) => !isOutside.test(name));
    const of = (name: string) => invocations.filter(({ folder }) => folder === name);
    const [intakes, deliveries] = [of('queue/intake'), of('queue/deliver')];
    const waited =
      receiverMs * sum(deliveries.map(({ memoryMegabytes }) => memoryMegabytes)) +
      awsCallMs * (waitedForAws(intakes, calls) + waitedForAws(deliveries, calls));
    const busy = megabytesPerCpu * ((await cpuMs()) - cpu);
    const toTable = calls.filter(({ service }) => service === 'dynamodb');
    const usd = [
      usdOfCalls(toTable),
      usdOfCalls(calls.filter(({ service }) => service === 'sqs')),
      usdOfCalls([invoked(intakes.length + deliveries.length)]) + ((waited + busy) / 1_024 / 1_000) * usdOfMemory,
      (bench.logBytes() - logged) * usdOfLogs,
    ];
    return {
      label,
      latency: spreadOf(events.map(acceptedToPost)),
      batches: [events.length / intakes.length, events.length / deliveries.length],
      tableCalls: toTable.length / events.length,
      usd: usd.map((part) => part / events.length),
    };
  }
  return { price, verify: bench.verify };
}

/**
 * The waits of a function's invocations for AWS, each times its megabytes. Calls of a kind go out at once, so they are
 * one wait of an invocation.
 */
function waitedForAws(invocations: readonly InvocationRecord[], calls: readonly AwsCall[]): number {
  const [first] = invocations;
  if (first === undefined) return 0;
  const kinds = Map.groupBy(
    calls.filter(({ caller }) => caller === first.name),
    ({ name }) => name,
  );
  const waits = sum([...kinds.values()].map(({ length }) => Math.min(length, invocations.length)));
  return waits * first.memoryMegabytes;
}

function invoked(requests: number): PricedCall {
  const units = { writeUnits: noUnits, readUnits: noUnits };
  return { service: 'lambda', name: 'Invoke', ...units, isRefused: false, requests };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const parts = ['DynamoDB', 'SQS', 'functions', 'logs'] as const;

function resultOf(measured: readonly Priced[], notes: readonly string[]): BenchResult {
  const labelled = (wanted: string) => measured.find(({ label }) => label === wanted);
  return {
    tables: [
      {
        title: 'Price of a million events, and milliseconds from accepted message to POST',
        columns: ['', 'p50, ms', 'p99', 'intake batch', 'delivery batch', 'table calls', ...parts, '$ a million'],
        rows: measured.map(({ label, latency: { p50, p99 }, batches, tableCalls, usd }) => [
          label,
          p50,
          p99,
          ...batches,
          tableCalls,
          ...usd,
          sum(usd),
        ]),
        notes: [
          `List prices, on demand: units, requests, CPU time, log bytes, and memory while functions wait: ` +
            `${receiverMs} ms for a receiver, and ${awsCallMs} ms for each kind of call of AWS. ` +
            'Without egress, storage, and the secrets that functions read again every five minutes.',
          'Five functions at once, as Lambda begins.',
          ...notes,
        ],
      },
    ],
    budgets: [
      ...Object.entries(budgets.usd).map(([label, most]) => ({
        label: `$ for a million events: ${label}`,
        measured: sum(labelled(label)?.usd ?? [Number.NaN]),
        most,
      })),
      {
        label: `calls of DynamoDB for an event: ${fullBatches}`,
        measured: labelled(fullBatches)?.tableCalls ?? Number.NaN,
        most: budgets.tableCallsInFullBatches,
      },
    ],
  };
}
