import { catalogue } from '../../tools/conformance/catalogue.ts';
import { runSuite, type SuiteResult } from '../../tools/conformance/harness/runner.ts';
import { startAlteringProxy } from './altering-proxy.ts';
import type { Mutation } from './breakages.ts';
import { provision } from './provision.ts';

/** Runs the sections that some ways to break the service concern, with all of them, and with customers of its own. */
export async function runBroken(stackFile: string, broken: readonly Mutation[]): Promise<SuiteResult> {
  const { intake, receiver, ...config } = await provision(stackFile, { keys: 6, credentials: false });
  const fails = broken.flatMap((one) => one.fails);
  const concerned = catalogue.filter(({ checks }) => checks.some(({ name }) => fails.includes(name)));
  const groups = catalogue.filter((group) => concerned.some(({ section }) => section === group.section));
  const breakages = broken.map(({ breakage }) => breakage());
  const proxy = await startAlteringProxy({ url: config.url, inboxUrl: receiver?.inbox_url ?? '' }, breakages);
  const failing = concerned.flatMap(({ checks }) => checks).filter(({ name }) => fails.includes(name));
  const needed = failing.some(({ needs }) => needs.includes('intake')) ? { ...config, intake } : config;
  const altered = receiver && { ...receiver, inbox_url: proxy.inboxUrl };
  return await runSuite({ ...needed, url: proxy.url, receiver: altered }, { groups }).finally(proxy.close);
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
