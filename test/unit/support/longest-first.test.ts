import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longestFiles } from '../../support/vitest/longest-first.ts';

it('the files that start first exist', () => {
  expect(longestFiles.filter((file) => !existsSync(file))).toEqual([]);
});
