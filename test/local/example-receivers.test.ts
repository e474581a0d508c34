import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { signatureHeader } from '#shared/domain/signature.ts';
import { findFreePort } from '../../local/servers/free-port.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { createWorkplace, startStackProgram, type Workplace } from '../support/stack/stack-process.ts';
import signatures from '../vectors/signatures.json' with { type: 'json' };

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const otherSecret = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';

/** One example, and how its README starts it. */
type Example = {
  readonly name: string;
  readonly toolchain: readonly [command: string, ...args: string[]];
  readonly build?: readonly [command: string, ...args: string[]];
  readonly run: readonly [command: string, ...args: string[]];
};

const goBinary = join(tmpdir(), `receiver-go-${process.pid}`);
const all: readonly Example[] = [
  {
    name: 'receiver-node',
    toolchain: [process.execPath, '--version'],
    run: [process.execPath, 'receiver.mjs'],
  },
  { name: 'receiver-python', toolchain: ['python3', '--version'], run: ['python3', 'receiver.py'] },
  {
    name: 'receiver-go',
    toolchain: ['go', 'version'],
    build: ['go', 'build', '-o', goBinary, '.'],
    run: [goBinary],
  },
];
const isInstalled = ({ toolchain: [command, ...args] }: Example): boolean =>
  spawnSync(command, args).status === 0;
const installed = all.filter(isInstalled);

/** A started example. */
type Receiver = {
  readonly port: number;
  readonly lines: readonly string[];
  stop(): Promise<void>;
};

const children = new Set<ChildProcess>();

beforeAll(async () => {
  for (const { name, build } of installed) {
    if (build === undefined) continue;
    const [command, ...args] = build;
    const { status, stderr } = spawnSync(command, args, { cwd: join(examples, name), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  }
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
afterAll(async () => {
  await rm(goBinary, { force: true });
});

async function start(example: Example, env: Readonly<Record<string, string>>): Promise<Receiver> {
  const [command, ...args] = example.run;
  const child = spawn(command, args, {
    cwd: join(examples, example.name),
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(line));
  await once(output, 'line');
  const port = Number(/^Listening on port (\d+)$/.exec(lines[0] ?? '')?.[1]);
  const stop = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    children.delete(child);
  };
  return { port, lines, stop };
}

async function post(
  { port }: Receiver,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const url = `http://127.0.0.1:${port}/webhooks`;
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
  return response.status;
}

const signed = (body: string, secrets: readonly string[], at = Date.now()) => ({
  'X-Service-Signature': signatureHeader(secrets, Buffer.from(body), at),
});
const runCompleted = (id: string) =>
  JSON.stringify({ id, type: 'run.completed', run_id: 'run_1', status: 'completed' });

describe.each(all)('examples/$name', (example) => {
  describe.runIf(isInstalled(example))('with its toolchain on this machine', () => {
    it.each(signatures.vectors)('verifies $name with each of its secrets', async ({ secrets, body }) => {
      for (const WEBHOOK_SECRET of secrets) {
        const receiver = await start(example, { WEBHOOK_SECRET });
        const isEvent = body.includes('"type"');

        expect(await post(receiver, body, signed(body, secrets))).toBe(isEvent ? 204 : 400);
        expect(await post(receiver, `${body} `, signed(body, secrets))).toBe(401);
        await receiver.stop();
      }
    });

    it('accepts signatures that are at most five minutes old or early', async () => {
      const receiver = await start(example, { WEBHOOK_SECRET: secret });
      const body = runCompleted('evt_1');
      const statuses = [];

      for (const seconds of [-310, -290, 290, 310]) {
        statuses.push(await post(receiver, body, signed(body, [secret], Date.now() + seconds * 1_000)));
      }

      expect(statuses).toEqual([401, 204, 204, 401]);
    });

    it('refuses a request without a valid signature', async () => {
      const receiver = await start(example, { WEBHOOK_SECRET: secret });
      const body = runCompleted('evt_1');
      const [time = '', value = ''] = signed(body, [secret])['X-Service-Signature'].split(',');
      const headers = [
        '',
        time,
        value,
        `${time},v1=`,
        `${time},v1=zz`,
        `${time},v0=${value.slice(3)}`,
        `${time}.0,${value}`,
        `t=now,${value}`,
        signed(body, [otherSecret])['X-Service-Signature'],
      ];
      const statuses = [await post(receiver, body, {})];

      for (const header of headers) {
        statuses.push(await post(receiver, body, { 'X-Service-Signature': header }));
      }

      expect(statuses).toEqual(statuses.map(() => 401));
      expect(receiver.lines).toHaveLength(1);
    });

    it('handles an event once, however often and by however many connections it arrives', async () => {
      const receiver = await start(example, { WEBHOOK_SECRET: secret });
      const body = runCompleted('evt_1');

      const sent = Array.from({ length: 10 }, () =>
        post(receiver, body, signed(body, [otherSecret, secret])),
      );
      expect(await Promise.all(sent)).toEqual(sent.map(() => 204));
      await post(receiver, runCompleted('evt_2'), signed(runCompleted('evt_2'), [secret]));

      await expect.poll(() => receiver.lines).toContain('Run run_1 ended as completed (evt_2)');
      expect(receiver.lines.slice(1)).toEqual([
        'Run run_1 ended as completed (evt_1)',
        'Run run_1 ended as completed (evt_2)',
      ]);
    });

    it('answers a handshake that it cannot verify, and handles only one that it can', async () => {
      const receiver = await start(example, { WEBHOOK_SECRET: secret });
      const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test' });
      const type = { 'X-Service-Event-Type': 'webhook.test' };

      const statuses = [
        await post(receiver, body, type),
        await post(receiver, runCompleted('evt_2'), type),
        await post(receiver, body, { ...type, ...signed(body, [otherSecret]) }),
        await post(receiver, body, { ...type, ...signed(body, [secret]) }),
      ];

      expect(statuses).toEqual([204, 204, 204, 204]);
      await expect.poll(() => receiver.lines.slice(1)).toEqual(['Ignored webhook.test (evt_1)']);
    });

    it('answers the handshake, and nothing else, as long as it has no secret', async () => {
      const receiver = await start(example, { WEBHOOK_SECRET: '' });
      const body = runCompleted('evt_1');

      const statuses = [
        await post(receiver, '{}', { 'X-Service-Event-Type': 'webhook.test' }),
        await post(receiver, body, { 'X-Service-Event-Type': 'run.completed' }),
        await post(receiver, body, signed(body, [''])),
      ];

      expect(statuses).toEqual([204, 401, 401]);
    });

    it('refuses a body of more than 1 MiB', async () => {
      const receiver = await start(example, { WEBHOOK_SECRET: secret });
      const body = Buffer.alloc(1024 * 1024 + 1);

      // A refusal may come before all of the body is sent, which the client may report as a lost connection.
      const status = await post(receiver, body, {}).catch(() => 413);

      expect(status).toBe(413);
    });
  });
});

describe('the examples at the local stack', () => {
  let workplace: Workplace;
  beforeAll(async () => {
    workplace = await createWorkplace();
  });
  afterAll(() => workplace.remove());

  it('are registered, and handle the event of a Run, as examples/README.md says', async () => {
    const ports = await Promise.all(installed.map(() => findFreePort()));
    const origins = ports.map((port) => `https://localhost:${port}`);
    const trust = origins.flatMap((origin) => ['--trust-origin', origin]);
    const stack = await startStackProgram(workplace, ['--port', '0', '--quiet', ...trust]);
    onTestFinished(async () => {
      stack.program.kill();
      await stack.program.exited();
    });
    const certificates = join(workplace.dir, '.local', 'tls');
    const tls = {
      TLS_CERT: join(certificates, 'localhost.pem'),
      TLS_KEY: join(certificates, 'localhost-key.pem'),
    };
    const unregistered = await Promise.all(
      installed.map((example, index) => start(example, { ...tls, PORT: String(ports[index]) })),
    );
    const customer = firstCustomer(stack.info);

    const registered = await Promise.all(origins.map((origin) => customer.register(`${origin}/webhooks`)));
    expect(registered.map(({ webhook }) => webhook.status)).toEqual(installed.map(() => 'active'));
    await Promise.all(unregistered.map((receiver) => receiver.stop()));
    const receivers = await Promise.all(
      installed.map((example, index) => {
        const WEBHOOK_SECRET = registered[index]?.secret ?? '';
        return start(example, { ...tls, PORT: String(ports[index]), WEBHOOK_SECRET });
      }),
    );
    await customer.settleRun();

    const deliveries = await Promise.all(registered.map(({ webhook }) => customer.endedDelivery(webhook.id)));
    const handled = deliveries.map(
      ({ run_id, event_id }) => `Run ${run_id} ended as completed (${event_id})`,
    );
    expect(deliveries.map(({ status }) => status)).toEqual(installed.map(() => 'delivered'));
    await expect.poll(() => receivers.map(({ lines }) => lines[1])).toEqual(handled);
  });
});

function firstCustomer(info: StackFile): StackCustomer {
  const [customer] = info.customers;
  if (customer === undefined) throw new Error('The stack has no customer');
  return new StackCustomer(info, customer);
}
