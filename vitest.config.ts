import { defineConfig } from 'vitest/config';
import { findDynoxide } from './test/support/aws/dynoxide.ts';
import { LongestFirst } from './test/support/vitest/longest-first.ts';
import { ProjectTable } from './test/support/vitest/project-table.ts';

const minute = 60_000;

// Tests run as on a new machine: with no account of AWS, no proxy before loopback, and numbers in one language.
for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
const direct = '127.0.0.1,localhost';
Object.assign(process.env, {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  NO_PROXY: direct,
  no_proxy: direct,
  LC_ALL: 'C.UTF-8',
});

/** Proofs that are too long for the gate. `npm run test:long` runs them, and so does `LONG_TESTS=1`. */
const longTests = [
  'conformance/broken-services.test.ts',
  'e2e/brand.test.ts',
  'e2e/cli-package.test.ts',
  'e2e/docs-site.test.ts',
  'e2e/examples.test.ts',
  'e2e/restart.test.ts',
  'e2e/smoke-checks.test.ts',
  'e2e/stored-rows.test.ts',
  'fuzz/http-fuzz.test.ts',
  'infra/construct-package.test.ts',
  'local/handler-tests.test.ts',
  'local/producer-package.test.ts',
  'outages/crashes.test.ts',
  'outages/outages.test.ts',
  'simulation/every-await.test.ts',
  'simulation/mutants.test.ts',
  'unit/http/bounded-memory.test.ts',
].map((file) => `test/${file}`);
const isLong = process.env.LONG_TESTS === '1';
const leftOut = isLong ? [] : longTests;

/** The adapters of the table, and of queues. */
const [tableTests, queueTests] = ['integration/!(dead-letters).test.ts', 'integration/dead-letters.test.ts'];
const hasDynoxide = findDynoxide() !== undefined;
/** In the gate, a DynamoDB that others wrote is enough where npm has one: `ports` compares our own with it. */
const onOwnTable = isLong || !hasDynoxide ? [tableTests] : [];

type Settings = {
  readonly globalSetup?: readonly string[];
  /** Whether files share processes and the modules loaded there; only for tests that leave both as they were. */
  readonly shared?: boolean;
  /** Whether it runs when all others have ended, because it needs the machine for itself. */
  readonly isLast?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** How many concurrent tests of a file may run at once. */
  readonly atOnce?: number;
};

/**
 * One kind of proof for each project; CONTRIBUTING.md says what each is for. The time limit of a project proves
 * nothing: it ends what hangs, so it is many times what a test takes when something else uses the machine.
 */
const project = (
  name: string,
  include: readonly string[],
  testTimeout: number,
  { globalSetup = [], shared = false, isLast = false, env = {}, atOnce = 5 }: Settings = {},
) => ({
  test: {
    name,
    include: include.map((pattern) => `test/${pattern}`),
    exclude: leftOut,
    testTimeout,
    hookTimeout: Math.max(5 * minute, testTimeout),
    // A busy machine must not fail a test that polls for a state.
    expect: { poll: { timeout: testTimeout / 2 } },
    globalSetup: [...globalSetup],
    runner: 'test/support/vitest/measure-cpu.ts',
    setupFiles: ['test/support/vitest/restore-stubs.ts'],
    isolate: !shared,
    maxConcurrency: atOnce,
    env: { ...env },
    sequence: { groupOrder: isLast ? 1 : 0 },
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['unit/**/*.test.ts', 'architecture/**/*.test.ts'], 10 * minute, { shared: true }),
      // Validation takes seconds for each app. The commands of app.test.ts run with it.
      project('infra', ['infra/**/*.test.ts'], 15 * minute, {
        globalSetup: ['test/support/vitest/cdk-folder.ts'],
        shared: true,
        env: { CDK_VALIDATION: 'false' },
      }),
      project('integration', [queueTests, ...onOwnTable], 10 * minute, { shared: true }),
      // Declared where it has no tests, too, so that its setup is no unused file there.
      project('reference', hasDynoxide ? [tableTests] : [], 10 * minute, {
        globalSetup: ['test/support/aws/one-dynoxide.ts'],
        shared: true,
      }),
      project('budgets', ['budgets/**/*.test.ts'], 15 * minute),
      project('ports', ['ports/**/*.test.ts'], 10 * minute, { shared: true }),
      project('simulation', ['simulation/**/*.test.ts'], 15 * minute),
      project('local', ['local/**/*.test.ts'], 10 * minute, { shared: true }),
      project('e2e', ['e2e/**/*.test.ts'], 10 * minute, {
        globalSetup: ['test/support/stack/stack-setup.ts'],
        shared: true,
      }),
      project('fuzz', ['fuzz/**/*.test.ts'], 20 * minute),
      // Its clock is fast: on a busy machine, timers come sooner than the work that they wait for.
      project('outages', ['outages/**/*.test.ts'], 30 * minute, { isLast: true }),
      project('conformance', ['conformance/**/*.test.ts'], 20 * minute, { atOnce: 10_000 }),
    ],
    // Much of the time of the larger tests is waiting: four at once keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ...(process.env.GITHUB_ACTIONS === 'true' ? ['github-actions'] : []), new ProjectTable()],
    // Modules that log need the stage when they are loaded. On a busy machine, an emulator may be silent for long.
    // Texts are compared without colours, whatever a terminal or CI asks for.
    env: { STAGE: 'test', LOCAL_IDLE_TIMEOUT: String(5 * minute), FORCE_COLOR: '0' },
    // The checks of the conformance suite wait for each other, so all of them are slow.
    slowTestThreshold: 2 * minute,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
