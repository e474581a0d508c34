import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../tools/conformance/catalogue.ts';
import { missingFor, type SuiteConfig } from '../../tools/conformance/config.ts';
import { declareChecks } from '../../tools/conformance/suite.ts';
import { type RunningStack, startStack } from '../../tools/local/stack/start.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { provision, timeScale } from './provision.ts';

const dir = useFolder();
let stackFile: string;
let stack: RunningStack;

beforeAll(async () => {
  // As at the address of API Gateway, so that paths are joined below its stage. Other tests have none.
  stackFile = join(dir(), 'stack.json');
  // Nothing is lost, so no check needs the sweep and the audit, which read the rows of all customers.
  const minRuleInterval = 60 * 60_000;
  stack = await startStack({ port: 0, stagePath: '/dev', timeScale, minRuleInterval, stateDir: dir(), stackFile });
  await stack.warmUp();
});
afterAll(() => stack?.close());

describe('the conformance suite passes against the local stack', () => {
  let given: SuiteConfig;

  describe('every check', () => {
    const open = async () => {
      given = await provision(stackFile, { keys: 13, otherKeys: 3 });
      // The suite may use up the request limits of its keys.
      return { ...given, keys: given.keys.slice(1), other_keys: given.other_keys.slice(1) };
    };
    declareChecks({ groups: catalogue, open });
  });

  it('with nothing skipped', () => {
    const checks = catalogue.flatMap((group) => group.checks);

    expect(checks.filter(({ needs }) => missingFor(given, needs) !== undefined)).toEqual([]);
  });

  it('and leaves no endpoint behind', async () => {
    for (const [spare] of [given.keys, given.other_keys]) {
      const headers = { Authorization: `Bearer ${spare}` };
      const held = await fetch(`${given.url}/v1/webhooks`, { headers });
      expect(await held.json()).toMatchObject({ items: [] });
    }
  });
});

it('names every check differently', () => {
  const names = catalogue.flatMap(({ checks }) => checks.map(({ name }) => name));

  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
