import { type RunnerTestSuite, TestRunner } from 'vitest';
import { cpuSeconds } from './cpu-time.ts';

declare module 'vitest' {
  interface TaskMeta {
    cpuSeconds?: number;
  }
}

/** CPU seconds of the files before; those that share a process share this counter. */
let counted = 0;

/** Vitest's runner, which also tells the table of projects the CPU seconds of each file. */
export default class MeasureCpu extends TestRunner {
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (suite.file !== suite) return;
    const before = counted;
    counted = cpuSeconds();
    suite.meta.cpuSeconds = counted - before;
  }
}
