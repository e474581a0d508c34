import { setTimeout as sleep } from 'node:timers/promises';
import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import type { BenchContext } from '../bench.ts';
import { type Spread, spreadOf } from '../percentiles.ts';
import { acceptedToPost } from '../support/accepted-to-post.ts';
import { type BenchEndpoint, type BenchStack, startBenchStack } from '../support/bench-stack.ts';
import { assertDeliveredOnce, type Verified } from '../support/delivered-once.ts';
import type { PlayedEvent } from '../support/load.ts';
import { type Parties, startParties } from '../support/parties.ts';
import { type Billed, billedTimeouts } from './billed.ts';
import { attemptTimeoutMs } from './scenario.ts';

/** The stream to the quick endpoints. */
export const quickLoad = { endpoints: 20, perSecond: 20, seconds: 15 } as const;

/** The endpoints that are measured beside it, one after the other. */
export const neighbours = [
  {
    name: 'slow',
    label: 'answers after 5 s, 3.3 events a second',
    query: '?after_ms=5000',
    perSecond: 10 / 3,
  },
  { name: 'silent', label: 'never answers, 10 events a second', query: '?silent', perSecond: 10 },
] as const;

/** Milliseconds to wait for the last event of a quick endpoint; one that arrives later counts as late for ever. */
export const patienceMs = 60_000;
/** The measurement does not wait for the whole backlog of a slow endpoint. */
const slowPatienceMs = 20_000;

export type Beside = {
  readonly neighbour: (typeof neighbours)[number];
  /** Milliseconds from the accepted message to the POST at the quick endpoints. */
  readonly quick: Spread;
  /** Empty when no attempt timed out. */
  readonly billed: readonly Billed[];
};

export type Measured = {
  readonly alone: Spread;
  readonly beside: readonly Beside[];
  readonly verified: Verified;
};

type Scene = {
  readonly context: BenchContext;
  readonly bench: BenchStack;
  readonly parties: Parties;
  readonly quick: readonly BenchEndpoint[];
  readonly invocations: InvocationRecord[];
  readonly played: PlayedEvent[];
  readonly secrets: Map<string, string>;
};

export async function measure(context: BenchContext): Promise<Measured> {
  await using parts = new AsyncDisposableStack();
  const scene = await setUp(parts, context);
  context.say(`Quick endpoints alone, ${quickLoad.seconds} s`);
  const alone = spreadOf(await playQuick(scene));
  const beside: Beside[] = [];
  for (const neighbour of neighbours) {
    context.say(`Quick endpoints beside one that ${neighbour.label}, ${quickLoad.seconds} s`);
    beside.push(await playBeside(scene, neighbour));
  }
  // An event that is still waiting is a result, not a fault.
  const expected = scene.played.filter(({ arrivedAt }) => arrivedAt !== null);
  const verified = assertDeliveredOnce(expected, await scene.parties.received(), scene.secrets);
  return { alone, beside, verified };
}

async function setUp(parts: AsyncDisposableStack, context: BenchContext): Promise<Scene> {
  const parties = parts.use(await startParties(context.signal));
  context.say('Starting the local stack');
  const invocations: InvocationRecord[] = [];
  const onInvocation = (record: InvocationRecord) => void invocations.push(record);
  const bench = parts.use(
    await startBenchStack(parties, context, { functionsIn: 'processes', onInvocation }),
  );
  const quick = await bench.addEndpoints(quickLoad.endpoints);
  const secrets = new Map(quick.map(({ endpoint, secret }) => [endpoint, secret]));
  const scene: Scene = { context, bench, parties, quick, invocations, played: [], secrets };
  context.say('Warming up');
  await play(scene, { recipients: quick, count: 300, pace: { inFlight: 16 }, patienceMs });
  return scene;
}

async function playBeside(scene: Scene, neighbour: (typeof neighbours)[number]): Promise<Beside> {
  const recipients = await scene.bench.addEndpoints(1, neighbour.query);
  for (const { endpoint, secret } of recipients) scene.secrets.set(endpoint, secret);
  const { perSecond } = neighbour;
  const count = Math.floor(perSecond * quickLoad.seconds);
  const before = scene.invocations.length;
  const [quick] = await Promise.all([
    playQuick(scene),
    play(scene, { recipients, count, pace: { perSecond }, patienceMs: slowPatienceMs }),
  ]);
  // The last attempts end when their time is over, and then their invocations are recorded.
  await sleep(attemptTimeoutMs + 1_000, undefined, { signal: scene.context.signal });
  return { neighbour, quick: spreadOf(quick), billed: billedTimeouts(scene.invocations.slice(before)) };
}

async function playQuick(scene: Scene): Promise<readonly number[]> {
  const { perSecond, seconds } = quickLoad;
  const load = { recipients: scene.quick, count: perSecond * seconds, pace: { perSecond }, patienceMs };
  return (await play(scene, load)).map(acceptedToPost);
}

async function play(
  { parties, bench, played }: Scene,
  load: Parameters<BenchStack['load']>[0],
): Promise<readonly PlayedEvent[]> {
  const events = await parties.play(bench.load(load));
  played.push(...events);
  return events;
}
