import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../conformance/catalogue.ts';
import { report } from '../../conformance/harness/report.ts';
import { runSuite } from '../../conformance/harness/runner.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { mutations } from './breakages.ts';
import { failedNames, reasons, runBroken } from './broken-service.ts';
import { provision, timeScale } from './provision.ts';

let dir: string;
let stack: RunningStack;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'conformance-'));
  // As at the address of API Gateway, so that paths are joined below its stage. Other tests have none.
  stack = await startStack({ port: 0, stagePath: '/dev', timeScale, stateDir: dir, stackFile: null });
  await stack.warmUp();
});
afterAll(async () => {
  await stack?.close();
  await rm(dir, { recursive: true, force: true });
});

// The suite waits until the request limit admits more; the broken services are judged beside it, on the same stack.
describe('the conformance suite', () => {
  it.concurrent('passes against the local stack with nothing skipped', async () => {
    const config = await provision(stack.info);

    const result = await runSuite(config, { groups: catalogue });

    process.stdout.write(`\n${report(result)}\n`);
    const others = result.checks.filter(({ outcome }) => outcome !== 'passed');
    expect(others).toEqual([]);
    expect(result.checks.length).toBeGreaterThan(150);
  });

  it.concurrent.each(mutations)('notices a service that $title', async ({ breakage, fails, ...part }) => {
    const result = await runBroken(stack.info, breakage(), part);

    expect(failedNames(result), reasons(result)).toEqual(fails.toSorted());
  });

  it.concurrent('finds no fault in the same sections when nothing is broken', async () => {
    const sections = [...new Set(mutations.flatMap((mutation) => mutation.sections))].filter(
      (section) => section !== 'Request rate',
    );

    const result = await runBroken(stack.info, {}, { sections });

    expect(failedNames(result), reasons(result)).toEqual([]);
    expect(result.checks.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(100);
  });

  it.concurrent('leaves no endpoint behind', async () => {
    const config = await provision(stack.info, { keys: 2, credentials: false });
    const groups = catalogue.filter(({ section }) => section === 'Webhook status');

    await runSuite({ ...config, intake: undefined }, { groups });

    for (const key of [config.keys[0], config.other_keys[0]]) {
      const response = await fetch(`${config.url}/v1/webhooks`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      expect(await response.json()).toMatchObject({ items: [] });
    }
  });

  it('names every check differently', () => {
    const names = catalogue.flatMap(({ checks }) => checks.map(({ name }) => name));

    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
