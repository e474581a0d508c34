import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type RunningStack, startStack } from '../../tools/local/stack/start.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { mutations } from './breakages.ts';
import { declareBroken } from './broken-service.ts';
import { timeScale } from './provision.ts';

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
const harmless = mutations.flat().filter(({ title }) => title !== 'leaves out Retry-After');
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
