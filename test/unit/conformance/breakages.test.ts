import { expect, it } from 'vitest';
import { catalogue } from '../../../tools/conformance/catalogue.ts';
import { mutations } from '../../conformance/breakages.ts';

it('each breakage names checks that the suite has', () => {
  const checks = new Set(catalogue.flatMap((group) => group.checks.map(({ name }) => name)));
  const named = mutations.flat().flatMap(({ fails }) => fails);

  expect(named.filter((name) => !checks.has(name))).toEqual([]);
});
