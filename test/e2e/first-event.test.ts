import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { runDemo } from '../../tools/local/parties/customer/run-demo.ts';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import { banner, blockTitle } from '../../tools/local/stack/banner.ts';
import { blockAfter, comparableLines, pageText } from '../support/docs/page-blocks.ts';
import {
  createReceiverFolder,
  pageReceivers,
  type RunningPageReceiver,
  removeFolder,
  startPageReceiver,
} from '../support/docs/page-receivers.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { useStack } from '../support/stack/stack.ts';
import { createWorkplace, Program } from '../support/stack/stack-process.ts';
import { registeredAnswer } from '../support/values/answers.ts';

const { info, ownOrigins } = inject('stack');
const stack = useStack();
const [listenOrigin = '', tunnelOrigin = ''] = ownOrigins;
const page = 'first-event.md';

const hasCurl = spawnSync('curl', ['--version']).error === undefined;

/** The rows of the page's table: the file of each receiver, and the command that starts it. */
const languages = [...pageText(page).matchAll(/^\| ([^|]+) \| \[`([^`]+)`\][^|]+ \| `([^`]+)` \|$/gm)].map(
  ([, language = '', file = '', command = '']) => ({ language, file, command }),
);

/** A customer with one key, and a folder in which the project's npm commands act on the stack that all tests share. */
async function newcomer() {
  const customer = await stack.newCustomer('Newcomer');
  const workplace = await createWorkplace();
  onTestFinished(() => workplace.remove());
  await mkdir(dirname(workplace.stackFile));
  const listen = { ...info.listen, origins: [listenOrigin] };
  const customers = [{ id: customer.id, api_key: customer.apiKey }];
  await writeFile(workplace.stackFile, JSON.stringify({ ...info, listen, customers }));
  return { customer, dir: workplace.dir, own: { ...info, listen, customers } };
}

/** The receiver of the page in a fresh folder, which each command of the page that names it starts again. */
async function receiverOfPage() {
  const receiver = pageReceivers.find(({ name }) => name === 'Node.js');
  if (receiver === undefined) throw new Error('There is no receiver in Node.js');
  const dir = await createReceiverFolder(receiver);
  onTestFinished(() => removeFolder(dir));
  const port = await findFreePort();
  const start = async (command: string, secret: string): Promise<RunningPageReceiver> => {
    const typed = command.replace('whsec_…', secret);
    const running = await startPageReceiver({ run: ['sh', '-c', typed] }, dir, '', port);
    onTestFinished(() => running.stop());
    return running;
  };
  return { port, start };
}

async function run(command: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const program = await Program.start('sh', ['-c', command], { cwd, env });
  expect([await program.exited(), program.output]).toEqual([0, expect.any(String)]);
  return program.output;
}

describe('docs/pages/first-event.md', () => {
  it('names the files and the programs with which test/local runs the receivers of other languages', () => {
    const known = pageReceivers.map(({ name, files, toolchain }) => ({
      language: name,
      file: Object.keys(files())[0],
      program: basename(toolchain[0]),
    }));

    expect(languages.map(({ language }) => language)).toEqual(['Node.js', 'Python', 'Go']);
    for (const { language, file, command } of languages) {
      expect(known).toContainEqual({ language, file, program: command.split(' ')[0] });
      expect(command.endsWith(` ${file}`)).toBe(true);
    }
  });

  it('with the clone, ends with an event that the code of the page verified', async () => {
    const { customer, dir } = await newcomer();
    const { port, start } = await receiverOfPage();

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

    await expect.poll(() => receiver.verified()).toEqual([expect.stringMatching(/^Verified run\.completed evt_/)]);
    const id = /evt_\w+/.exec(receiver.verified()[0] ?? '')?.[0];
    await listen.printed(`${id}  verified  204`);
    const { id: webhookId } = only(await customer.webhooks());
    listen.interrupt();
    await listen.exited();
    expect(await customer.webhooks()).toEqual([]);
    expect(listen.output.trim().split('\n').at(-1)).toBe(`Deleted endpoint ${webhookId}`);
    expectShown('`emit` prints:', emitted);
    expectShown('Your receiver prints:', receiver.verified().join('\n'));
    expectShown('It prints the signing secret:', listen.output);
    expectShown('shows that your receiver acknowledged it:', listen.output);
  });

  it('with a key, ends with an event that the code of the page verified', async ({ skip }) => {
    if (!hasCurl) skip('curl is not installed here');
    const { customer, dir } = await newcomer();
    const { port, start } = await receiverOfPage();
    const [cert, key] = await Promise.all(
      [info.listen.cert_file, info.listen.key_file].map((file) => readFile(file, 'utf8')),
    );
    const tunnel = createServer({ cert, key }, (socket) => {
      const receiver = connect(port, '127.0.0.1');
      // What the killed receiver breaks off ends for the sender, too, which then sends again.
      socket.on('error', () => receiver.destroy());
      receiver.on('error', () => socket.destroy());
      socket.pipe(receiver).pipe(socket);
    });
    tunnel.listen(Number(new URL(tunnelOrigin).port), '127.0.0.1');
    await once(tunnel, 'listening');
    onTestFinished(() => void tunnel.close());
    const call = (heading: string, ids: readonly string[] = []): Promise<string> => {
      const typed = ids.reduce(
        (command, id) => command.replace(`${id.slice(0, 4)}…`, id),
        blockAfter(page, heading)
          .replaceAll('https://api.example.com', info.api_url)
          .replaceAll('https://hooks.example.com', tunnelOrigin)
          .replace('key_…', customer.apiKey),
      );
      return run(typed, dir, { API_KEY: customer.apiKey });
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

describe('npm start', () => {
  it('prints commands that, pasted as one block, end with the event of the Run seen and verified', async ({ skip }) => {
    if (!hasCurl) skip('curl is not installed here');
    const { dir, own } = await newcomer();
    const [, after = ''] = banner(own, 0).split(blockTitle);
    const [block = ''] = /(?:^ {2}.*\n)+/m.exec(after) ?? [];

    // One shell reads it line by line, as from a terminal: a command that read its input would take the rest of it.
    await writeFile(join(dir, 'block.sh'), block.replaceAll('hello', `hello-${own.customers[0]?.id}`));
    const output = await run('bash -s < block.sh 2>block.err', dir);

    const [, id = ''] = /^Sent run\.settled for cus_\w+: Run (run_\w+)$/m.exec(output) ?? [];
    expect(output).toMatch(/^whd_\w+ +whe_\w+ +delivered +1 +after \d+ ms +200$/m);
    const [, inbox = ''] = /^(\[\n[\s\S]*^\]\n)$/m.exec(output) ?? [];
    const entry = z.object({ verified: z.boolean(), body: z.string().transform((text) => JSON.parse(text)) });
    expect(z.array(entry).parse(JSON.parse(inbox))).toMatchObject([
      { verified: true, body: { type: 'webhook.test' } },
      { verified: true, body: { type: 'run.completed', run_id: id } },
    ]);
  });
});

describe('npm run demo', () => {
  it('shows all seven steps, which the receiver confirms', async () => {
    const lines: string[] = [];

    await runDemo((await newcomer()).own, (line) => lines.push(line));

    expect(lines.filter((line) => /^\d\. /.test(line))).toEqual([
      '1. Register an endpoint',
      '2. A Run settles',
      '3. A receiver that fails twice, then accepts',
      '4. A receiver that never accepts',
      '5. Replay a delivery',
      '6. Rotate the secret',
      '7. Delete the endpoint',
    ]);
  });
});

/** Holds if all lines that the page shows after a text are in an output. */
function expectShown(after: string, output: string): void {
  expect(comparableLines(output)).toEqual(expect.arrayContaining([...comparableLines(blockAfter(page, after))]));
}

/** The names of the members of a JSON object, or of one of its members. */
function membersOf(value: unknown, member?: string): readonly string[] {
  const record = z.record(z.string(), z.unknown()).parse(value);
  return member === undefined ? Object.keys(record) : membersOf(record[member]);
}
