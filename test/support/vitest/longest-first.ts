import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, those first that mostly wait: what only computes fills the time beside them. */
export const longestFiles: readonly string[] = [
  'test/conformance/conformance.test.ts',
  'test/e2e/operator-pages.test.ts',
  'test/e2e/listen.test.ts',
  'test/e2e/own-stack.test.ts',
  'test/e2e/bulk-replays.test.ts',
  'test/e2e/console.test.ts',
  'test/infra/app.test.ts',
  'test/simulation/simulation.test.ts',
];

/** Starts long files first, in the same order on every machine, so that the workers end at about the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longestFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank === -1 ? longestFiles.length : rank;
}
