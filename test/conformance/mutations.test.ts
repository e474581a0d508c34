import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../conformance/catalogue.ts';
import type { Group } from '../../conformance/harness/check.ts';
import { runSuite, type SuiteResult } from '../../conformance/harness/runner.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { type Breakage, startAlteringProxy } from './altering-proxy.ts';
import { type Mutation, mutations } from './breakages.ts';
import { provision, timeScale } from './provision.ts';

let dir: string;
let stack: RunningStack;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mutations-'));
  stack = await startStack({ port: 0, timeScale, stateDir: dir, stackFile: null });
  await stack.warm;
});
afterAll(async () => {
  await stack?.close();
  await rm(dir, { recursive: true, force: true });
});

type Part = Pick<Mutation, 'sections' | 'only' | 'withIntake'>;

function groupsOf({ sections, only }: Part): readonly Group[] {
  return catalogue
    .filter(({ section }) => sections.includes(section))
    .map((group) => ({
      ...group,
      checks: group.checks.filter(({ name }) => only === undefined || only.includes(name)),
    }));
}

/** Runs a part of the suite against the stack behind a proxy, with separate customers. */
async function runBroken(breakage: Breakage, part: Part): Promise<SuiteResult> {
  const { inbox_url: inboxUrl } = stack.info.receiver;
  const proxy = await startAlteringProxy({ url: stack.info.api_url, inboxUrl }, breakage);
  try {
    const config = await provision(stack.info, { keys: 4, credentials: false });
    const broken = {
      ...config,
      url: proxy.url,
      receiver: { origin: stack.info.receiver.origin, inbox_url: proxy.inboxUrl },
      intake: part.withIntake === true ? config.intake : undefined,
    };
    return await runSuite(broken, { groups: groupsOf(part) });
  } finally {
    await proxy.close();
  }
}

function failedNames({ checks }: SuiteResult): readonly string[] {
  return checks.flatMap(({ outcome, name }) => (outcome === 'failed' ? [name] : [])).toSorted();
}

/** What is printed when the wrong checks failed. */
function reasons({ checks }: SuiteResult): string {
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  return failed
    .map(({ name, reason, expected, got }) => `${name}: ${reason ?? `wanted ${expected}, got ${got}`}`)
    .join('\n');
}

describe('the conformance suite', () => {
  it.concurrent.each(mutations)('notices a service that $title', async ({ breakage, fails, ...part }) => {
    const result = await runBroken(breakage(), part);

    expect(failedNames(result), reasons(result)).toEqual(fails.toSorted());
  });

  it('finds no fault in the same sections when nothing is broken', async () => {
    const sections = [...new Set(mutations.flatMap((mutation) => mutation.sections))].filter(
      (section) => section !== 'Request rate',
    );

    const result = await runBroken({}, { sections });

    expect(failedNames(result), reasons(result)).toEqual([]);
    expect(result.checks.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(100);
  });
});
