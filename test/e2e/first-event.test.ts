import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { registeredAnswer } from '../../local/parties/customer/customer-client.ts';
import { findFreePort } from '../../local/servers/free-port.ts';
import type { SeededCustomer } from '../../local/stack/customer-keys.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import { blockAfter, comparableLines, pageText } from '../support/docs/page-blocks.ts';
import {
  canRun,
  createReceiverFolder,
  pageReceivers,
  type RunningPageReceiver,
  removeFolder,
  startPageReceiver,
} from '../support/docs/page-receivers.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { startRecordingTunnel } from '../support/stack/recording-tunnel.ts';
import { createWorkplace, Program } from '../support/stack/stack-process.ts';

const { info, ownOrigins } = inject('stack');
const [listenOrigin = '', tunnelOrigin = ''] = ownOrigins;
const page = 'first-event.md';

const hasCurl = spawnSync('curl', ['--version']).error === undefined;

/** The languages of the page's table, and the command that starts each receiver. */
const languages = [...pageText(page).matchAll(/^\| ([^|]+) \| \[`[^|]+ \| `([^`]+)` \|$/gm)].map(
  ([, language = '', startCommand = '']) => ({ language, startCommand }),
);

/** A customer with one key, and a folder in which the page's npm commands act on the stack that all tests share. */
async function newcomer(): Promise<{ readonly customer: SeededCustomer; readonly dir: string }> {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const customer = only(await seedCustomers(target, ['Newcomer']));
  const workplace = await createWorkplace();
  onTestFinished(() => workplace.remove());
  await mkdir(dirname(workplace.stackFile));
  const listen = { ...info.listen, origins: [listenOrigin] };
  await writeFile(workplace.stackFile, JSON.stringify({ ...info, listen, customers: [customer] }));
  return { customer, dir: workplace.dir };
}

/** The receiver of a language in a fresh folder, which each command of the page that names it starts again. */
async function receiverIn({ language, startCommand }: (typeof languages)[number]) {
  const receiver = pageReceivers.find(({ name }) => name === language);
  if (receiver === undefined) throw new Error(`${page} names a language without a receiver: ${language}`);
  const { build: _, ...asSaved } = receiver;
  const dir = await createReceiverFolder(asSaved);
  onTestFinished(() => removeFolder(dir));
  const port = await findFreePort();
  const start = async (command: string, secret: string): Promise<RunningPageReceiver> => {
    const typed = command.replace('whsec_…', secret).replace('node receiver.mjs', startCommand);
    const running = await startPageReceiver({ run: ['sh', '-c', typed] }, dir, '', port);
    onTestFinished(() => running.stop());
    return running;
  };
  return { receiver, port, start };
}

async function run(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = await Program.start('sh', ['-c', command], { cwd, env });
  expect([await program.exited(), program.output]).toEqual([0, expect.any(String)]);
  return program.output;
}

it('docs/pages/first-event.md has a receiver in Node.js, Python and Go', () => {
  expect(languages.map(({ language }) => language)).toEqual(['Node.js', 'Python', 'Go']);
});

describe.each(languages)('docs/pages/first-event.md in $language', (chosen) => {
  const installed = pageReceivers.filter(({ name }) => name === chosen.language).every(canRun);

  it('with the clone, ends with an event that the code of the page verified', async ({ skip }) => {
    if (!installed) skip(`${chosen.language} is not installed here`);
    const { customer, dir } = await newcomer();
    const { port, start } = await receiverIn(chosen);

    const listenCommand = blockAfter(page, '### 2. Forward events').replace('3000', String(port));
    const listen = await Program.start('sh', ['-c', listenCommand], { cwd: dir, env: { API_KEY: '' } });
    onTestFinished(async () => {
      listen.kill();
      await listen.exited();
    });
    await listen.printed('Forwards to');
    const [secret = ''] = /whsec_\S+/.exec(listen.output) ?? [];
    const receiver = await start(blockAfter(page, '### 3. Start your receiver'), secret);
    const emitted = await run(blockAfter(page, '### 4. Emit an event').replace('cus_…', customer.id), dir);

    await expect
      .poll(() => receiver.verified())
      .toEqual([expect.stringMatching(/^Verified run\.completed evt_/)]);
    const id = /evt_\w+/.exec(receiver.verified()[0] ?? '')?.[0];
    await listen.printed(`${id}  verified  204`);
    listen.interrupt();
    await listen.exited();
    expect(listen.output).toContain('Deleted endpoint');
    expectShown('`emit` prints:', emitted);
    expectShown('Your receiver prints:', receiver.verified().join('\n'));
    expectShown('It prints the signing secret:', listen.output);
    expectShown('shows that your receiver acknowledged it:', listen.output);
  });

  it('with a key, ends with an event that the code of the page verified', async ({ skip }) => {
    if (!installed) skip(`${chosen.language} is not installed here`);
    if (!hasCurl) skip('curl is not installed here');
    const { customer, dir } = await newcomer();
    const { port, start } = await receiverIn(chosen);
    const [cert, key] = await Promise.all(
      [info.listen.cert_file, info.listen.key_file].map((file) => readFile(file, 'utf8')),
    );
    const tunnel = await startRecordingTunnel(
      { cert: cert ?? '', key: key ?? '' },
      Number(new URL(tunnelOrigin).port),
      port,
    );
    onTestFinished(() => tunnel.close());
    const call = (heading: string, ids: readonly string[] = []): Promise<string> => {
      const typed = ids.reduce(
        (command, id) => command.replace(`${id.slice(0, 4)}…`, id),
        blockAfter(page, heading)
          .replaceAll('https://api.example.com', info.api_url)
          .replaceAll('https://hooks.example.com', tunnelOrigin)
          .replace('key_…', customer.api_key),
      );
      return run(typed, dir, { API_KEY: customer.api_key });
    };

    const unregistered = await start(blockAfter(page, '### 2. Start the receiver'), '');
    const answer: unknown = JSON.parse(await call('### 3. Register your URL'));
    const { webhook, secret, test_delivery } = registeredAnswer.parse(answer);
    expect([webhook.status, test_delivery.status]).toEqual(['active', 'delivered']);
    const shown: unknown = JSON.parse(blockAfter(page, 'it has line\nbreaks:'));
    expect(membersOf(shown)).toEqual(membersOf(answer));
    expect(membersOf(shown, 'webhook')).toEqual(membersOf(answer, 'webhook'));

    await unregistered.stop();
    const receiver = await start(blockAfter(page, '### 4. Restart the receiver'), secret);
    await call('### 5. Replay the test event', [webhook.id, test_delivery.id]);

    await expect.poll(() => receiver.verified()).toEqual([`Verified webhook.test ${test_delivery.event_id}`]);
    await eventually(async () => {
      const { items } = z
        .object({ items: z.array(z.looseObject({})) })
        .parse(JSON.parse(await call('### 6. See what we recorded', [webhook.id])));
      expect(items[0]).toMatchObject({
        replay_of: test_delivery.id,
        status: 'delivered',
        response_status: 204,
      });
    });
  });
});

/** Holds if all lines that the page shows after a text are in an output. */
function expectShown(after: string, output: string): void {
  expect(comparableLines(output)).toEqual(
    expect.arrayContaining([...comparableLines(blockAfter(page, after))]),
  );
}

/** The names of the members of a JSON object, or of one of its members. */
function membersOf(value: unknown, member?: string): readonly string[] {
  const record = z.record(z.string(), z.unknown()).parse(value);
  return member === undefined ? Object.keys(record) : membersOf(record[member]);
}
