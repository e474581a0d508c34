import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../tools/conformance/catalogue.ts';
import { report } from '../../tools/conformance/harness/report.ts';
import { runSuite } from '../../tools/conformance/harness/runner.ts';
import { type RunningStack, startStack } from '../../tools/local/stack/start.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { mutations } from './breakages.ts';
import { failedNames, reasons, runBroken } from './broken-service.ts';
import { provision, timeScale } from './provision.ts';

const dir = useFolder();
let stackFile: string;
let stack: RunningStack;

beforeAll(async () => {
  // As at the address of API Gateway, so that paths are joined below its stage. Other tests have none.
  stackFile = join(dir(), 'stack.json');
  stack = await startStack({ port: 0, stagePath: '/dev', timeScale, stateDir: dir(), stackFile });
  await stack.warmUp();
});
afterAll(() => stack?.close());

// The suite waits until the request limit admits more; the broken services are judged beside it, on the same stack.
describe('the conformance suite', () => {
  it.concurrent('passes against the local stack with nothing skipped, and leaves no endpoint behind', async () => {
    const given = await provision(stackFile, { keys: 13, otherKeys: 3 });
    // The suite may use up the request limits of its keys.
    const [[spare, ...keys], [otherSpare, ...other_keys]] = [given.keys, given.other_keys];
    const config = { ...given, keys, other_keys };

    const result = await runSuite(config, { groups: catalogue });

    process.stdout.write(`\n${report(result)}\n`);
    const others = result.checks.filter(({ outcome }) => outcome !== 'passed');
    expect(others).toEqual([]);
    expect(result.checks.length).toBeGreaterThan(150);
    for (const key of [spare, otherSpare]) {
      const headers = { Authorization: `Bearer ${key}` };
      expect(await (await fetch(`${given.url}/v1/webhooks`, { headers })).json()).toMatchObject({
        items: [],
      });
    }
  });

  it.concurrent.each(
    mutations.map((broken) => ({ broken, titles: broken.map(({ title }) => title).join(', ') })),
  )('notices a service that $titles', async ({ broken }) => {
    const result = await runBroken(stackFile, broken);

    const fails = broken.flatMap((one) => one.fails);
    expect(failedNames(result), reasons(result)).toEqual(fails.toSorted());
  });

  it.concurrent('finds no fault behind the same proxy when nothing is broken', async () => {
    // The request rate has a minute of its own.
    const concerned = mutations.flat().filter(({ title }) => title !== 'leaves out Retry-After');

    const result = await runBroken(
      stackFile,
      concerned.map((one) => ({ ...one, breakage: () => ({}) })),
    );

    expect(failedNames(result), reasons(result)).toEqual([]);
    expect(result.checks.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(100);
  });

  it('names every check differently', () => {
    const names = catalogue.flatMap(({ checks }) => checks.map(({ name }) => name));

    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
