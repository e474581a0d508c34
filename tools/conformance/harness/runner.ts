import type { Check, Group, Need } from './check.ts';
import { cleanUp, makeRoom } from './clean-up.ts';
import type { SuiteConfig } from './config.ts';
import type { Context } from './context.ts';
import { Mismatch } from './expect.ts';
import { at } from './json.ts';
import { openSession, type Session } from './session.ts';

export type CheckResult = {
  readonly heading: string;
  readonly section: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Reason for a skip or a failure. */
  readonly reason?: string;
  readonly expected?: string;
  readonly got?: string;
  readonly durationMs: number;
};

export type SuiteResult = {
  readonly checks: readonly CheckResult[];
  readonly requests: ReturnType<Session['requests']>;
  readonly durationMs: number;
};

export type RunOptions = {
  readonly groups: readonly Group[];
  /** Called when requests wait for the request limit. */
  readonly onWait?: (reason: string, ms: number) => void;
  /** Called before each message to the intake. */
  readonly onSend?: (message: object) => void;
  /** Stops the run early; the suite still deletes the endpoints that it registered. */
  readonly signal?: AbortSignal;
};

/** Maximum wait in seconds for retries without `slow`. */
const maxRetrySeconds = 120;
const retriesTakeSeconds = 3_600;
const defaultTimeoutSeconds = 600;

/**
 * Runs checks against one deployment. All start at once and share set-up, requests and endpoints. Checks that judge
 * every response run last.
 */
export async function runSuite(config: SuiteConfig, options: RunOptions): Promise<SuiteResult> {
  const startedAt = performance.now();
  const { onWait = () => undefined, onSend = () => undefined } = options;
  const session = openSession(config, onWait, onSend);
  try {
    await makeRoom(session.context);
    const checks = await runPhases(session, options);
    await cleanUp(session.context);
    return { checks, requests: session.requests(), durationMs: performance.now() - startedAt };
  } finally {
    session.close();
  }
}

type Placed = { readonly group: Group; readonly check: Check };

async function runPhases(session: Session, options: RunOptions): Promise<readonly CheckResult[]> {
  const all = options.groups.flatMap((group) => group.checks.map((check): Placed => ({ group, check })));
  const results = new Map<Check, CheckResult>();
  for (const phase of ['first', undefined, 'last'] as const) {
    const placed = all.filter(({ check }) => check.phase === phase);
    await Promise.all(
      placed.map(async (item) => results.set(item.check, await runOne(session, item, options.signal))),
    );
  }
  return all.flatMap(({ check }) => results.get(check) ?? []);
}

async function runOne(
  session: Session,
  { group, check }: Placed,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const head = { heading: group.heading, section: group.section, name: check.name };
  const missing = missingFor(session.context.config, check.needs);
  if (missing !== undefined) return { ...head, outcome: 'skipped', reason: missing, durationMs: 0 };
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    await limited(session, check, signal);
    return { ...head, outcome: 'passed', durationMs: durationMs() };
  } catch (error) {
    return { ...head, outcome: 'failed', ...describeFailure(error), durationMs: durationMs() };
  }
}

function describeFailure(error: unknown): Pick<CheckResult, 'reason' | 'expected' | 'got'> {
  if (error instanceof Mismatch) return { expected: error.expected, got: error.got };
  return { reason: error instanceof Error ? error.message : String(error) };
}

/** Ends a check that takes too long. Time spent waiting for the request limit does not count. */
async function limited(session: Session, check: Check, signal: AbortSignal | undefined): Promise<void> {
  const { context } = session;
  const startedAt = context.now();
  const waitedBefore = session.waitedMs();
  const allowed = timeoutOf(context, check) * 1_000;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const own = context.now() - startedAt - (session.waitedMs() - waitedBefore);
    if (own > allowed) reject(new Error(`not done within ${allowed / 1_000} s`));
    if (signal?.aborted === true) reject(new Error('the run was stopped'));
  }, 250);
  try {
    await Promise.race([check.run(context), promise]);
  } finally {
    clearInterval(timer);
  }
}

function timeoutOf({ config }: Context, { needs }: Check): number {
  const retries = needs.includes('retries') ? retriesTakeSeconds / config.time_scale : 0;
  return defaultTimeoutSeconds + retries * 2;
}

/** Why a check cannot run, `undefined` when it can. */
function missingFor(config: SuiteConfig, needs: readonly Need[]): string | undefined {
  return needs.map((need) => missing(config, need)).find((reason) => reason !== undefined);
}

function missing(config: SuiteConfig, need: Need): string | undefined {
  if (need !== 'retries') {
    return at(config, ...need.split('.')) === undefined ? `no ${need} is configured` : undefined;
  }
  const seconds = retriesTakeSeconds / config.time_scale;
  if (config.slow || seconds <= maxRetrySeconds) return undefined;
  return `retries take ${Math.round(seconds / 60)} minutes: set slow or time_scale`;
}
