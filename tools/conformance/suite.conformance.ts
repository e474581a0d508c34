import { inject } from 'vitest';
import { catalogue, filterChecks } from './catalogue.ts';
import { configSchema } from './config.ts';
import { declareChecks } from './suite.ts';

/** The file of tests that `runSuite` gives to Vitest. */
const { config, names } = inject('conformance');

declareChecks({
  groups: filterChecks(catalogue, (_, { name }) => names.includes(name)),
  open: () => configSchema.parse(config),
});
