import { defineConfig } from 'vitest/config';

const minute = 60_000;

/**
 * One kind of proof for each project; CONTRIBUTING.md says what each is for. The time limit of a project proves
 * nothing: it ends what hangs, so it is many times what a test takes when something else uses the machine.
 */
const project = (
  name: string,
  include: readonly string[],
  testTimeout: number,
  globalSetup: string[] = [],
) => ({
  test: {
    name,
    include: include.map((pattern) => `test/${pattern}`),
    testTimeout,
    hookTimeout: 5 * minute,
    // A busy machine must not fail a test that polls for a state.
    expect: { poll: { timeout: testTimeout / 2 } },
    globalSetup,
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['unit/**/*.test.ts', 'architecture/**/*.test.ts'], minute),
      project('infra', ['infra/**/*.test.ts'], 5 * minute),
      project('integration', ['integration/**/*.test.ts'], 2 * minute),
      project('ports', ['ports/**/*.test.ts'], 2 * minute),
      project('simulation', ['simulation/**/*.test.ts'], 15 * minute),
      project('local', ['local/**/*.test.ts'], 5 * minute),
      project('e2e', ['e2e/**/*.test.ts'], 10 * minute, ['test/support/stack/stack-setup.ts']),
      project('fuzz', ['fuzz/**/*.test.ts'], 20 * minute),
      project('outages', ['outages/**/*.test.ts'], 30 * minute),
      project('conformance', ['conformance/**/*.test.ts'], 20 * minute),
    ],
    // Much of the time of the larger tests is waiting: two at once fit on one core.
    maxWorkers: 2,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
