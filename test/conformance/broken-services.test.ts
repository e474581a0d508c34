import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { catalogue, filterChecks } from '../../tools/conformance/catalogue.ts';
import type { Check } from '../../tools/conformance/harness/check.ts';
import { declareChecks } from '../../tools/conformance/suite.ts';
import { type RunningStack, startStack } from '../../tools/local/stack/start.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { startAlteringProxy } from './altering-proxy.ts';
import { type Mutation, mutations } from './breakages.ts';
import { provision, timeScale } from './provision.ts';

const dir = useFolder();
let stackFile: string;
let stack: RunningStack;

beforeAll(async () => {
  stackFile = join(dir(), 'stack.json');
  stack = await startStack({ port: 0, timeScale, stateDir: dir(), stackFile });
  await stack.warmUp();
});
afterAll(() => stack?.close());

// The request rate has a minute of its own.
const ofRate = ['leaves out Retry-After', 'refuses a request of a key after a burst of another one'];
const harmless = mutations.flat().filter(({ title }) => !ofRate.includes(title));
const broken = [
  ...mutations.map((list) => ({
    title: `notices a service that ${list.map(({ title }) => title).join(', ')}`,
    declare: () => declareBroken(() => stackFile, list),
  })),
  {
    title: 'finds no fault behind the same proxy when nothing is broken',
    declare: () => declareBroken(() => stackFile, harmless, false),
  },
];

// As many beside each other as keep two cores busy.
const lanes = Map.groupBy(broken, (one) => broken.indexOf(one) % 3);
describe.concurrent.each([...lanes.values()])('the conformance suite', (...lane) => {
  for (const { title, declare } of lane) describe(title, { concurrent: false }, declare);
});

/**
 * Declares the checks that must notice some ways to break the service, on a service with all of them, and with customers
 * of its own; and the other checks of their sections, which must pass.
 */
function declareBroken(stackFile: () => string, broken: readonly Mutation[], isBroken = true): void {
  const fails = broken.flatMap((one) => one.fails);
  const failing = filterChecks(catalogue, (_, { name }) => fails.includes(name));
  const needsIntake = failing.some(({ checks }) => checks.some(usesIntake));
  const groups = filterChecks(
    catalogue,
    (group, check) => failing.some(({ section }) => section === group.section) && (needsIntake || !usesIntake(check)),
  );
  let close: (() => Promise<void>) | undefined;
  const open = async () => {
    const { intake, receiver, plain_receiver, ...config } = await provision(stackFile(), {
      keys: 6,
      credentials: false,
    });
    const breakages = isBroken ? broken.map(({ breakage }) => breakage()) : [];
    const target = { url: config.url, inboxUrl: receiver?.inbox_url ?? '' };
    const proxy = await startAlteringProxy(target, breakages);
    close = proxy.close;
    const inbox = { inbox_url: proxy.inboxUrl };
    return {
      ...{ ...config, ...(needsIntake ? { intake } : {}), url: proxy.url },
      ...{ receiver: receiver && { ...receiver, ...inbox } },
      ...{ plain_receiver: plain_receiver && { ...plain_receiver, ...inbox } },
    };
  };
  // Hooks run in reverse: the suite deletes its endpoints first.
  afterAll(() => close?.());
  declareChecks({ groups, open, fails: isBroken ? fails : [] });
}

function usesIntake({ needs }: Check): boolean {
  return needs.some((need) => need.startsWith('intake'));
}
