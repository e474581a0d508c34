import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { Random } from '../simulation/world/random.ts';
import { eventually } from '../support/stack/eventually.ts';
import { killTree, Program, type Workplace, whenReady } from '../support/stack/stack-process.ts';
import { callApi, callsThatFail, judgeCalls, readingCalls } from './api-calls.ts';
import { type Ending, inWorkplace, judgeEnding, type PlayOptions } from './ending.ts';
import { type Habit, type Receivers, registerEndpoints } from './receivers.ts';
import { startRunEngine } from './run-engine.ts';

const stackProgram = fileURLToPath(new URL('mortal-stack-main.ts', import.meta.url));

/** The stack as a separate process, on data that outlives it. */
class MortalStack {
  /** The addresses of the stack; `null` while it does not run or is not ready. */
  info: StackFile | null = null;
  readonly #workplace: Workplace;
  readonly #options: object;
  #program: Program | null = null;
  #isOver = false;

  /** @param port the same for each launch, because the address of the API is part of every event */
  constructor(workplace: Workplace, receiverOrigin: string, port: number) {
    this.#workplace = workplace;
    this.#options = { port, dataDir: 'data', trustedOrigins: [receiverOrigin] };
  }

  /** @throws Error when it was ended */
  async launch(): Promise<Program> {
    if (this.#isOver) throw new Error('Cannot launch the stack: it was ended');
    const { dir } = this.#workplace;
    // Otherwise the files of earlier launches would accumulate.
    await rm(join(dir, 'tmp'), { recursive: true, force: true });
    await mkdir(join(dir, 'tmp'));
    const args = [stackProgram, JSON.stringify(this.#options)];
    const program = await Program.start(process.execPath, args, { cwd: dir });
    this.#program = program;
    if (this.#isOver) await this.kill();
    return program;
  }

  async start(): Promise<StackFile> {
    const { info } = await whenReady(this.#workplace, await this.launch());
    this.info = info;
    return info;
  }

  async kill(): Promise<void> {
    const program = this.#program;
    this.#program = null;
    if (program !== null) await killTree(program);
    this.info = null;
  }

  /** Kills it; it cannot be launched again. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.kill();
  }
}

export type CrashOptions = PlayOptions & {
  readonly kills: number;
  /** Determines the moments of the kills. */
  readonly seed: number;
};

/** The stack is down for most of the time, and handles the waiting events whenever it runs. */
const runEveryMs = 1_000;

/** The habits of the endpoints of each customer. */
const customerHabits: readonly (readonly Habit[])[] = [
  ['prompt', 'slow', 'fails-once'],
  ['slow', 'fails-twice', 'never-acknowledges'],
];

/**
 * Kills the whole stack repeatedly under load, and restarts it on the same data each time. Then it lets everything
 * settle, and checks the promises.
 */
export function playCrashes(options: CrashOptions): Promise<Ending> {
  const { parts, note } = options;
  return inWorkplace(parts, async (workplace, receivers) => {
    const stack = new MortalStack(workplace, receivers.origin, await findFreePort());
    parts.defer(() => stack.end());
    const endpoints = await registerEndpoints(await stack.start(), receivers, customerHabits);
    const current = () => stack.info;
    const customerIds = endpoints.map(({ customer }) => customer.id);
    const engine = startRunEngine({ stack: current, customerIds, everyMs: runEveryMs });
    parts.defer(() => engine.abandon());
    const caller = callApi(current, readingCalls(endpoints, 'either'));
    parts.defer(() => caller.stop());
    await killAgainAndAgain(options, stack, receivers);
    const info = await stack.start();
    await engine.stop();
    const failures = await callsThatFail(info, readingCalls(endpoints, 'works'));
    await caller.stop();
    const facts = { runs: engine.accepted, endpoints, posts: receivers.posts, mayInterrupt: true };
    const ending = await judgeEnding(info, workplace, note, () => facts);
    return { ...ending, broken: [...ending.broken, ...failures, ...judgeCalls(caller.made, null)] };
  });
}

/** Milliseconds from the launch of the stack, its readiness, or its first POST to the moment of a `kill -9`. */
const spans = { launch: [100, 3_500], ready: [200, 6_000], post: [0, 3_000] } as const;

type Kill = { readonly after: keyof typeof spans; readonly ms: number };

/** The moments of the kills, which are the same for the same seed. */
export function planKills(kills: number, seed: number): readonly Kill[] {
  const random = new Random(seed);
  return Array.from({ length: kills }, (_, index) => {
    const early = random.oneIn(2) ? 'launch' : 'ready';
    // The first kill is not during a start, when there is no data to lose.
    const after = random.oneIn(2) || index === 0 ? 'post' : early;
    const [from, to] = spans[after];
    return { after, ms: random.between(from, to) };
  });
}

async function killAgainAndAgain(
  { kills, seed, note }: CrashOptions,
  stack: MortalStack,
  { posts }: Receivers,
): Promise<void> {
  for (const [index, { after, ms }] of planKills(kills, seed).entries()) {
    const before = posts.length;
    if (after === 'launch') await stack.launch();
    else if (stack.info === null) await stack.start();
    if (after === 'post') {
      const isPosting = async () => expect(posts.length).toBeGreaterThan(before);
      await eventually(isPosting, { timeout: 300_000, interval: 20 });
    }
    await sleep(ms);
    await stack.kill();
    note(`kill ${index + 1} of ${kills}, ${ms} ms after its ${after}; ${posts.length} POSTs so far`);
  }
}
