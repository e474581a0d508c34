import { afterAll, beforeAll, describe, test } from 'vitest';
import { filterChecks } from './catalogue.ts';
import { missingFor, retriesTakeMinutes, type SuiteConfig } from './config.ts';
import type { Check, Group } from './harness/check.ts';
import { Mismatch } from './harness/expect.ts';
import { type Context, openSession } from './harness/session.ts';
import { cleanUp, makeRoom } from './scenarios/clean-up.ts';

export type SuiteOptions = {
  readonly groups: readonly Group[];
  /** Called once, before the first check. */
  readonly open: () => SuiteConfig | Promise<SuiteConfig>;
  /** Names of the checks that must fail, on a service that is broken on purpose. */
  readonly fails?: readonly string[];
};

/** What a run did, beside its checks. */
export type RunFacts = {
  /** Requests sent as each customer, and all requests. */
  readonly requests: Readonly<Record<'customer' | 'other' | 'all', number>>;
  /** Every message that was put on the intake queue. */
  readonly sent: readonly object[];
};

declare module 'vitest' {
  interface TaskMeta {
    run?: RunFacts;
  }
}

/** One after the other. Checks without a phase start at once, and share set-up, requests and endpoints. */
const phases = ['first', 'together', 'last'] as const;

/** Declares each check as a test of Vitest, within the file or the `describe` that calls it. */
export function declareChecks({ groups, open, fails = [] }: SuiteOptions): void {
  let context: Context | undefined;
  beforeAll(async () => {
    context = openSession(await open(), sayWait);
    await makeRoom(context);
  });
  afterAll(async () => {
    if (context === undefined) return;
    // What checks collect goes on when they are stopped.
    await context.end();
    await cleanUp(openSession(context.config, sayWait), context.log);
  });
  const declare = (check: Check) => {
    const judge = fails.includes(check.name) ? notices : passes;
    test(check.name, { timeout: timeoutOf(check) }, async ({ skip, task }) => {
      const session = context;
      if (session === undefined) throw new Error('The run has no session');
      const missing = missingFor(session.config, check.needs);
      if (missing !== undefined) skip(missing);
      await judge(check.run(session)).finally(() => Object.assign(task.file.meta, { run: factsOf(session) }));
    });
  };
  for (const phase of phases) {
    const ofPhase = filterChecks(groups, (_, check) => (check.phase ?? 'together') === phase);
    if (ofPhase.length === 0) continue;
    describe(phase, { concurrent: false }, () => {
      for (const { heading, section, checks } of ofPhase) {
        describe.concurrent(`${heading} / ${section}`, () => checks.forEach(declare));
      }
    });
  }
}

const passes = (result: Promise<unknown>): Promise<unknown> => result;

/** Any other failure, such as a request without a response, shows nothing about the check. */
async function notices(result: Promise<unknown>): Promise<void> {
  const failure = await result.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (failure === null) throw new Error('The check passes, although the service is broken');
  if (!(failure instanceof Mismatch)) throw failure;
}

function sayWait(ms: number): void {
  console.warn(`Waiting up to ${Math.ceil(ms / 1_000)} s: the keys have used up their requests per minute`);
}

function factsOf({ config, log, intake }: Context): RunFacts {
  const by = Map.groupBy(log.exchanges, ({ request }) => request.by);
  const countOf = (customer: 'customer' | 'other') => by.get(customer)?.length ?? 0;
  return {
    requests: { customer: countOf('customer'), other: countOf('other'), all: log.exchanges.length },
    sent: config.intake === undefined ? [] : intake().sent,
  };
}

const minute = 60_000;

/** It proves nothing: it ends what hangs, so it covers the longest retries and waits for the request limit. */
function timeoutOf({ needs }: Check): number {
  return (30 + (needs.includes('retries') ? 2 * retriesTakeMinutes : 0)) * minute;
}
