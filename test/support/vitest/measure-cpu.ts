import { type RunnerTestSuite, TestRunner } from 'vitest';
import { cpuSecondsSinceLastCall } from './cpu-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    cpuSeconds?: number;
  }
}

/** Vitest's runner, which also tells the table of projects the CPU seconds of each file. */
export default class MeasureCpu extends TestRunner {
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (suite.file === suite) suite.meta.cpuSeconds = cpuSecondsSinceLastCall();
  }
}
