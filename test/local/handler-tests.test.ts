import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { blockAfter, fileOnPage } from '../support/docs/page-blocks.ts';
import { createReceiverFolder, exampleReceivers, removeFolder, whySkipped } from '../support/docs/page-receivers.ts';

const page = 'test-your-handler.md';
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** The test files of the page, and the examples that they test. */
const suites = [
  {
    file: 'handler.test.mjs',
    example: 'examples/receiver-node',
    toolchain: [process.execPath, '--version'],
    needs: 'Node.js',
    run: [process.execPath, vitest, 'run', '--globals', '--reporter=verbose'],
  },
  {
    file: 'test_receiver.py',
    example: 'examples/receiver-python',
    toolchain: ['python3', '-c', 'import pytest'],
    needs: 'pytest',
    run: ['python3', '-m', 'pytest', '-v'],
  },
  {
    file: 'main_test.go',
    example: 'examples/receiver-go',
    toolchain: ['go', 'version'],
    needs: 'go',
    run: ['go', 'test', '-v', './...'],
  },
] as const;

type Suite = (typeof suites)[number];
type Change = (source: string) => string;

const accepted = [
  'handles a signed event',
  'accepts either signature during a rotation',
  'accepts and ignores an unknown type',
];
const twice = 'handles an event once that arrives twice';
const refused = [
  'refuses a changed body',
  'refuses an event without a signature',
  'refuses the signature of another secret',
  'refuses an old timestamp',
];
const handshake = 'answers a handshake that it cannot verify';
const titles = [...accepted, twice, ...refused, handshake];

/** Runs the tests as the page says, on the example or a changed one. */
async function runSuite(suite: Suite, change: Change = (text) => text, code = fileOnPage(page, suite.file)) {
  const found = exampleReceivers.find(({ name }) => name === suite.example);
  if (found === undefined) throw new Error(`${suite.example} is not among the examples`);
  const { build: _, ...example } = found;
  const sources = Object.entries(example.files()).map(([name, text]) => [name, change(text)]);
  const files = { ...Object.fromEntries(sources), [suite.file]: code };
  const dir = await createReceiverFolder({ ...example, files: () => files });
  onTestFinished(() => removeFolder(dir));
  const [command, ...args] = suite.run;
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: dir, env, encoding: 'utf8' });
  const lines = `${stdout}${stderr}`.replaceAll(/[_[]/g, ' ').split('\n');
  const titlesIn = (some: readonly string[]) => titles.filter((title) => some.some((line) => line.includes(title)));
  return { status, ran: titlesIn(lines), failed: titlesIn(lines.filter((line) => line.includes('FAIL'))) };
}

/** `1 == 1` is true in each of the three languages. */
const verification =
  (result: '1 == 1' | '1 == 2'): Change =>
  (source) =>
    source.replace(/^(?:def|func\w*) is_?genuine\(.*[:{]\n/im, (line) => `${line}    return ${result}\n`);

const noMemory: Change = (source) =>
  source.replace(/seenIds\.has\(id\)|event_id in self\._ids|r\.seen\.ids\[e\.ID\]/, '1 == 2');

describe.each(suites)('$file of docs/pages/test-your-handler.md', (suite) => {
  const reason = whySkipped(suite);
  beforeEach(({ skip }) => {
    if (reason !== undefined) skip(reason);
  });

  it('passes for the example receiver', async () => {
    expect(await runSuite(suite)).toEqual({ status: 0, ran: titles, failed: [] });
  });

  it('fails for a receiver that accepts every request and handles every event', async () => {
    const { failed } = await runSuite(suite, (source) => noMemory(verification('1 == 1')(source)));

    expect(failed).toEqual([twice, ...refused, handshake]);
  });

  it('fails for a receiver that refuses every request', async () => {
    const { failed } = await runSuite(suite, verification('1 == 2'));

    expect(failed).toEqual([...accepted, twice]);
  });
});

it('handler.test.mjs of docs/pages/test-your-handler.md passes with the signatures of standardwebhooks', async () => {
  const [suite] = suites;
  const signing = blockAfter(page, 'sign with it too:');
  const [, imports = '', sign = ''] = /^(import .*\n)([\s\S]*)$/.exec(signing) ?? [];
  const code = fileOnPage(page, suite.file).replace(/^\/\*\* The signature header of[\s\S]*?^\}\n/m, () => sign);
  const verify = `try { return new Webhook(secret).verify(body, request.headers) !== null } catch { return false }`;

  const result = await runSuite(
    suite,
    (source) =>
      source
        .replace(/isGenuine\(request.*secret\)/, () => `(() => { ${verify} })()`)
        .replace(/^import/m, (line) => `${imports}${line}`),
    `${imports}${code}`,
  );

  expect(result).toEqual({ status: 0, ran: titles, failed: [] });
});
