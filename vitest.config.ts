import { defineConfig } from 'vitest/config';

/** One kind of proof for each project; CONTRIBUTING.md says what each is for. */
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
    hookTimeout: 60_000,
    // A machine that does other things too must not fail a test that only looks until something is so.
    expect: { poll: { timeout: testTimeout / 2 } },
    globalSetup,
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['unit/**/*.test.ts', 'architecture/**/*.test.ts'], 10_000),
      project('infra', ['infra/**/*.test.ts'], 30_000),
      project('integration', ['integration/**/*.test.ts'], 30_000),
      project('ports', ['ports/**/*.test.ts'], 30_000),
      project('simulation', ['simulation/**/*.test.ts'], 300_000),
      project('local', ['local/**/*.test.ts'], 30_000),
      project('e2e', ['e2e/**/*.test.ts'], 90_000, ['test/support/stack-setup.ts']),
      project('fuzz', ['fuzz/**/*.test.ts'], 180_000),
      project('outages', ['outages/**/*.test.ts'], 480_000),
      project('conformance', ['conformance/**/*.test.ts'], 240_000),
    ],
    // Much of the time of the larger tests is waiting: two at once fit on one core.
    maxWorkers: 2,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
