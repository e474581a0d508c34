import { spawnSync } from 'node:child_process';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { findFreePort } from '../../local/servers/free-port.ts';
import { blockTitle } from '../../local/stack/banner.ts';
import {
  allEnded,
  createWorkplace,
  Program,
  processTree,
  type StackProgram,
  startStackProgram,
  type Workplace,
  whenReady,
} from '../support/stack/stack-process.ts';

let workplace: Workplace;
let port: number;
let stack: StackProgram;
let demo: Program;

const inboxEntries = z.array(
  z.object({
    verified: z.boolean(),
    body: z.string().transform((text): unknown => JSON.parse(text)),
  }),
);

/** Two stacks start side by side, on a machine that may be busy. Milliseconds. */
const startPatience = 600_000;

// The tour takes its time, and passes it beside the tests of the other command.
beforeAll(async () => {
  workplace = await createWorkplace();
  port = await findFreePort();
  demo = await Program.start(process.execPath, ['bin/demo.ts'], { cwd: workplace.dir });
  stack = await startStackProgram(workplace, ['--port', String(port), '--quiet']);
}, startPatience);
afterAll(async () => {
  for (const program of [stack?.program, demo]) {
    program?.kill();
    await program?.exited();
  }
  await workplace.remove();
});

describe('npm start', () => {
  it('describes the running stack in a file, with every member that other programs rely on', async () => {
    const content: unknown = JSON.parse(await readFile(workplace.stackFile, 'utf8'));

    const local = expect.stringMatching(/^http:\/\/127\.\d+\.\d+\.\d+:\d+$/);
    const customer = {
      id: expect.stringMatching(/^cus_/),
      api_key: expect.stringMatching(/^key_/),
    };
    expect(content).toEqual({
      api_url: `http://127.0.0.1:${port}`,
      docs_url: `http://127.0.0.1:${port}/docs`,
      region: 'us-east-1',
      table_name: expect.any(String),
      intake_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      slow_delivery_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      replay_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      replay_dead_letter_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      delivery_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      intake_dead_letter_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      delivery_dead_letter_queue_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\d{12}\/.+$/),
      endpoints: { dynamodb: local, sqs: local, scheduler: local, kms: local },
      customers: [customer, customer],
      receiver: {
        origin: expect.stringMatching(/^https:\/\/receiver\.localhost:\d+$/),
        inbox_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/inbox$/),
        ca_file: join(workplace.dir, '.local', 'tls', 'ca.pem'),
      },
      listen: {
        origins: expect.arrayContaining([expect.stringMatching(/^https:\/\/localhost:\d+$/)]),
        cert_file: join(workplace.dir, '.local', 'tls', 'localhost.pem'),
        key_file: join(workplace.dir, '.local', 'tls', 'localhost-key.pem'),
      },
      issuer: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/), audience: expect.any(String) },
    });
    await access(stack.info.receiver.ca_file);
  });

  it('prints commands that, pasted as one block, end with the event of the Run seen and verified', async ({
    skip,
  }) => {
    if (spawnSync('curl', ['--version']).error !== undefined) skip('curl is not installed here');

    const output = await paste(blockIn(stack.program.output));

    const [, run = ''] = /^Sent run\.settled for cus_\w+: Run (run_\w+)$/m.exec(output) ?? [];
    expect(output).toMatch(/^whd_\w+ +whe_\w+ +delivered +1 +after \d+ ms +200$/m);
    const [, inbox = ''] = /^(\[\n[\s\S]*^\]\n)$/m.exec(output) ?? [];
    expect(inboxEntries.parse(JSON.parse(inbox))).toEqual([
      { verified: true, body: expect.objectContaining({ type: 'webhook.test' }) },
      { verified: true, body: expect.objectContaining({ type: 'run.completed', run_id: run }) },
    ]);
  });

  it('refuses a second stack in its folder, names the first, and leaves it alone', async () => {
    const second = await Program.start(process.execPath, ['bin/local.ts'], { cwd: workplace.dir });

    expect(await second.exited()).toBe(1);

    expect(second.output).toContain(
      `belongs to the stack with process id ${stack.program.pid}, which answers at ${stack.info.api_url}`,
    );
    expect(JSON.parse(await readFile(workplace.stackFile, 'utf8'))).toEqual(stack.info);
    expect(await isListening(stack.info.api_url)).toBe(true);
  });

  it('says so when its port is taken, before anything is built', async () => {
    const args = ['bin/local.ts', '--port', String(port), '--stack-file', 'second/stack.json'];
    const second = await Program.start(process.execPath, args, { cwd: workplace.dir });

    expect(await second.exited()).toBe(1);

    expect(second.output).toMatch(new RegExp(`Port ${port}\\b.* is in use`));
    expect(second.output).not.toContain('synthesize');
  });

  it('ends on Ctrl-C without a process, an open port or a stack file left', async () => {
    await endsWithoutTrace(stack, () => stack.program.interrupt());
  });

  it('ends in the same way when only npm is told to', { timeout: startPatience }, async () => {
    const program = await Program.start('npm', ['start', '--', '--port', '0', '--quiet'], {
      cwd: workplace.dir,
    });
    const npm = await whenReady(workplace, program);

    await endsWithoutTrace(npm, () => process.kill(program.pid, 'SIGTERM'));
  });
});

async function endsWithoutTrace({ program, info }: StackProgram, end: () => void): Promise<void> {
  const { api_url, endpoints, receiver, issuer } = info;
  const urls = [api_url, ...Object.values(endpoints), receiver.origin, receiver.inbox_url, issuer.url];
  const pids = await processTree(program.pid);
  expect(pids.length).toBeGreaterThan(1);
  expect(await Promise.all(urls.map(isListening))).toEqual(urls.map(() => true));

  end();

  expect(await program.exited()).toBe(0);
  // The ports of a process end with it. By now, another test may listen on one of them.
  await allEnded(pids);
  const left = await readdir(join(workplace.dir, '.local'));
  expect(left.filter((name) => name.startsWith('stack'))).toEqual([]);
}

describe('npm run demo', () => {
  it(
    'shows all seven steps, also beside another stack, and exits with 0',
    async () => {
      const code = await demo.exited();

      expect(demo.output.match(/^\d\. .*$/gm)).toEqual([
        '1. Register an endpoint',
        '2. A Run settles',
        '3. A receiver that fails twice, then accepts',
        '4. A receiver that never accepts',
        '5. Replay a delivery',
        '6. Rotate the secret',
        '7. Delete the endpoint',
      ]);
      expect(demo.output).toContain('The receiver confirmed all seven steps.');
      expect(code).toBe(0);
    },
    startPatience,
  );
});

/** The indented lines after the line that asks to paste them. */
function blockIn(output: string): string {
  const [, after = ''] = output.split(blockTitle);
  return /(?:^ {2}.*\n)+/m.exec(after)?.[0] ?? '';
}

/**
 * Passes a block to one shell, which reads it line by line, as from a terminal: a command that read its input would take
 * the rest of the block.
 */
async function paste(block: string): Promise<string> {
  await writeFile(join(workplace.dir, 'block.sh'), block);
  const program = await Program.start('sh', ['-c', 'bash -s < block.sh 2>block.err'], { cwd: workplace.dir });
  expect([await program.exited(), program.output]).toEqual([0, expect.any(String)]);
  return program.output;
}

/** Whether something accepts connections where the URL points; names below `localhost` are this machine. */
function isListening(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname.endsWith('localhost') ? '127.0.0.1' : hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
