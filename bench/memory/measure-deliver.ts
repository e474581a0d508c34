import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import type { BenchContext } from '../bench.ts';
import { bundleFolder } from '../build-bundles.ts';
import { batchOf } from '../sqs-event.ts';
import { openScene, type StackScene, temporaryFolder } from '../stack-scene.ts';
import { waitingAttempt } from '../waiting-attempt.ts';
import { writeProgram } from '../write-program.ts';
import type { BehaviourName } from './behaviours.ts';
import { startReceiver } from './receiver.ts';

const memorySchema = z.object({ rss: z.number(), live: z.number(), peak: z.number() });

/** Bytes: of the process, of its objects and buffers after garbage collection, and the peak of the process. */
export type Memory = z.infer<typeof memorySchema>;

export type Case = {
  readonly title: string;
  readonly behaviour: BehaviourName;
  readonly rounds: number;
  /** Batches of ten deliveries that the process handles at the same time. */
  readonly batches: number;
};

export type MeasuredCase = Case & {
  /** Before the first round, then after each. */
  readonly memory: readonly Memory[];
};

const batchSize = 10;

/** A round with a receiver that never finishes takes ten seconds, the time limit of an attempt. */
const slowRounds = 5;
const quickRounds = 20;

const cases: readonly Case[] = [
  { title: 'answers at once', behaviour: 'answers-at-once', rounds: quickRounds, batches: 1 },
  { title: 'never answers', behaviour: 'never-answers', rounds: slowRounds, batches: 1 },
  { title: 'sends headers without end', behaviour: 'endless-headers', rounds: quickRounds, batches: 1 },
  { title: 'sends a body without end', behaviour: 'endless-body', rounds: quickRounds, batches: 1 },
  { title: 'sends a byte every 100 ms', behaviour: 'slow-drip', rounds: slowRounds, batches: 1 },
  { title: 'sends a body of 50 MB', behaviour: 'huge-response', rounds: quickRounds, batches: 1 },
  { title: 'resets the connection', behaviour: 'resets', rounds: quickRounds, batches: 1 },
  {
    title: 'sends a body without end, 100 at once',
    behaviour: 'endless-body',
    rounds: slowRounds,
    batches: 10,
  },
  { title: 'never answers, 100 at once', behaviour: 'never-answers', rounds: slowRounds, batches: 10 },
];

/** Runs the delivery function against each receiver, each case in a process of its own and all at the same time. */
export async function measureDeliver({ say, signal }: BenchContext): Promise<readonly MeasuredCase[]> {
  await using parts = new AsyncDisposableStack();
  const stateDir = await temporaryFolder(parts);
  // The stack finds the same certificate there and trusts it.
  const receiver = parts.use(await startReceiver(await openCertificate(join(stateDir, 'tls'), new Date())));
  say('Starting the local stack');
  const scene = await openScene(parts, { stateDir, trustedOrigins: [receiver.origin] });
  const runner = await writeProgram(new URL('./runner.ts', import.meta.url), stateDir);
  const endpoints = await registerAll(scene, receiver.origin);
  say(`Delivering to ${cases.length} receivers`);
  return await Promise.all(
    cases.map(async (each) => {
      const next = async () => await batchesFor(scene, endpoints, each);
      const memory = await runCase(each, {
        runner,
        environment: scene.environmentOf('queue/deliver'),
        next,
        signal,
      });
      say(`${each.title}: done`);
      return { ...each, memory };
    }),
  );
}

type Endpoints = ReadonlyMap<BehaviourName, { readonly customerId: string; readonly webhookId: string }>;

async function registerAll({ newCustomer }: StackScene, origin: string): Promise<Endpoints> {
  const endpoints = new Map<BehaviourName, { customerId: string; webhookId: string }>();
  for (const { behaviour } of cases) {
    if (endpoints.has(behaviour)) continue;
    const { client } = await newCustomer();
    const { webhook } = await client.register(`${origin}/${behaviour}`);
    if (webhook.status !== 'active') throw new Error(`Cannot measure: ${behaviour} did not register`);
    endpoints.set(behaviour, { customerId: client.id, webhookId: webhook.id });
  }
  return endpoints;
}

async function batchesFor(scene: StackScene, endpoints: Endpoints, { behaviour, batches }: Case) {
  const endpoint = endpoints.get(behaviour);
  if (endpoint === undefined) throw new Error(`Cannot measure: ${behaviour} is not registered`);
  const messages = () =>
    Array.from({ length: batchSize }, () => waitingAttempt(scene, endpoint.customerId, endpoint.webhookId));
  return await Promise.all(
    Array.from({ length: batches }, async () => batchOf(await Promise.all(messages()))),
  );
}

type Run = {
  readonly runner: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly next: () => Promise<readonly object[]>;
  readonly signal: AbortSignal;
};

async function runCase(
  { rounds }: Case,
  { runner, environment, next, signal }: Run,
): Promise<readonly Memory[]> {
  const child = fork(runner, [join(bundleFolder, 'queue', 'deliver', 'index.mjs')], {
    env: { ...environment },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
  });
  const memory = [await reply(child, signal)];
  for (let round = 0; round < rounds; round += 1) {
    const events = [...(await next())];
    const replied = reply(child, signal);
    child.send(events);
    memory.push(await replied);
  }
  child.disconnect();
  return memory;
}

/** @throws Error when the process ends instead */
async function reply(child: ChildProcess, signal: AbortSignal): Promise<Memory> {
  const settled = new AbortController();
  const options = { signal: AbortSignal.any([signal, settled.signal]) };
  const ended = once(child, 'exit', options).then(() => {
    throw new Error('Cannot measure: the process of the delivery function ended');
  });
  try {
    const [message] = await Promise.race([once(child, 'message', options), ended]);
    return memorySchema.parse(message);
  } finally {
    ended.catch(() => {});
    settled.abort();
  }
}
