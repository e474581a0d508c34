import { catalogue } from '../../conformance/catalogue.ts';
import type { Group } from '../../conformance/harness/check.ts';
import { runSuite, type SuiteResult } from '../../conformance/harness/runner.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { type Breakage, startAlteringProxy } from './altering-proxy.ts';
import type { Mutation } from './breakages.ts';
import { provision } from './provision.ts';

type Part = Pick<Mutation, 'sections' | 'only' | 'withIntake'>;

/** Runs a part of the suite against the stack behind a proxy, with customers of its own. */
export async function runBroken(info: StackFile, breakage: Breakage, part: Part): Promise<SuiteResult> {
  const { inbox_url: inboxUrl } = info.receiver;
  const proxy = await startAlteringProxy({ url: info.api_url, inboxUrl }, breakage);
  try {
    const config = await provision(info, { keys: 4, credentials: false });
    const broken = {
      ...config,
      url: proxy.url,
      receiver: { origin: info.receiver.origin, inbox_url: proxy.inboxUrl },
      intake: part.withIntake === true ? config.intake : undefined,
    };
    return await runSuite(broken, { groups: groupsOf(part) });
  } finally {
    await proxy.close();
  }
}

function groupsOf({ sections, only }: Part): readonly Group[] {
  return catalogue
    .filter(({ section }) => sections.includes(section))
    .map((group) => ({
      ...group,
      checks: group.checks.filter(({ name }) => only === undefined || only.includes(name)),
    }));
}

export function failedNames({ checks }: SuiteResult): readonly string[] {
  return checks.flatMap(({ outcome, name }) => (outcome === 'failed' ? [name] : [])).toSorted();
}

/** What is printed when the wrong checks failed. */
export function reasons({ checks }: SuiteResult): string {
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  return failed
    .map(({ name, reason, expected, got }) => `${name}: ${reason ?? `wanted ${expected}, got ${got}`}`)
    .join('\n');
}
