import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, TestResult } from 'vitest/node';
import { missingFor, type SuiteConfig } from './config.ts';
import type { Group } from './harness/check.ts';
import type { RunFacts } from './suite.ts';

declare module 'vitest' {
  interface ProvidedContext {
    conformance: { readonly config: object; readonly names: readonly string[] };
  }
}

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

export type SuiteResult = RunFacts & {
  readonly checks: readonly CheckResult[];
  readonly durationMs: number;
};

export type RunOptions = {
  readonly groups: readonly Group[];
  /** Gets what the suite says while it waits. */
  readonly note: (text: string) => void;
  /** Stops the run early; the suite still deletes the endpoints that it registered. */
  readonly signal: AbortSignal;
};

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs checks against one deployment, as tests of Vitest.
 *
 * @throws Error when the suite could not run
 */
export async function runSuite(config: SuiteConfig, { groups, note, signal }: RunOptions): Promise<SuiteResult> {
  const startedAt = performance.now();
  const names = groups.flatMap(({ checks }) => checks.map(({ name }) => name));
  const reporter: Reporter = { onUserConsoleLog: ({ content }) => note(content) };
  // Takes a second to load, which a list of the checks does not need.
  const { createVitest } = await import('vitest/node');
  const own = signals.map((name) => [name, process.listeners(name)] as const);
  const vitest = await createVitest('test', {
    config: false,
    root: fileURLToPath(new URL('../../', import.meta.url)),
    include: ['tools/conformance/suite.conformance.ts'],
    watch: false,
    pool: 'threads',
    maxConcurrency: names.length,
    provide: { conformance: { config, names } },
    reporters: [reporter],
  });
  // Vitest would end the process, which has to remove what it made first.
  for (const [name, listeners] of own) {
    const added = process.listeners(name).filter((listener) => !listeners.includes(listener));
    for (const listener of added) process.off(name, listener);
  }
  signal.addEventListener('abort', () => vitest.cancelCurrentRun('keyboard-input'));
  const { exitCode } = process;
  try {
    signal.throwIfAborted();
    const { testModules, unhandledErrors } = await vitest.start();
    const facts = factsOf(testModules, unhandledErrors);
    return {
      checks: resultsOf(config, groups, testModules),
      ...facts,
      durationMs: performance.now() - startedAt,
    };
  } finally {
    await vitest.close();
    // Vitest sets it when a check fails.
    process.exitCode = exitCode;
  }
}

/** @throws Error when something failed outside of the checks */
function factsOf(modules: readonly TestModule[], unhandled: readonly unknown[]): RunFacts {
  const [fault] = [...modules.flatMap((module) => module.errors()), ...unhandled];
  const text = fault instanceof Object && 'message' in fault ? fault.message : fault;
  if (fault !== undefined) throw new Error(String(text));
  return modules[0]?.meta().run ?? { requests: { customer: 0, other: 0, all: 0 }, sent: [] };
}

function resultsOf(config: SuiteConfig, groups: readonly Group[], modules: readonly TestModule[]) {
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  const byName = new Map(tests.map((test) => [test.name, test]));
  return groups.flatMap(({ heading, section, checks }) =>
    checks.map((check): CheckResult => {
      const durationMs = Math.round(byName.get(check.name)?.diagnostic()?.duration ?? 0);
      const missing = missingFor(config, check.needs);
      const outcome =
        missing === undefined
          ? outcomeOf(byName.get(check.name)?.result())
          : ({ outcome: 'skipped', reason: missing } as const);
      return { heading, section, name: check.name, ...outcome, durationMs };
    }),
  );
}

function outcomeOf(result: TestResult | undefined): Pick<CheckResult, 'outcome' | 'reason' | 'expected' | 'got'> {
  if (result?.state === 'passed') return { outcome: 'passed' };
  const [error] = result?.errors ?? [];
  if (error === undefined) return { outcome: 'failed', reason: 'the run was stopped' };
  const { name, message, expected = '', actual = '' } = error;
  return { outcome: 'failed', ...(name === 'Mismatch' ? { expected, got: actual } : { reason: message }) };
}
