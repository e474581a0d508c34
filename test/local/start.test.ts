import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import { stackFileSchema } from '../../local/stack/stack-file.ts';
import type { StackOptions } from '../../local/stack/stack-options.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { writeSmallApp } from './small-app.ts';

const customers = [
  { id: 'cus_1', api_key: 'key_1' },
  { id: 'cus_2', api_key: 'key_2' },
];

/** The rows of a consumer, one for each message. */
const invoked = z.object({ Items: z.array(z.object({ pk: z.object({ S: z.string() }) })) });

let dir: string;
const stacks: RunningStack[] = [];
const programs: ChildProcess[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'start-'));
});
afterEach(async () => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  await Promise.all(stacks.splice(0).map((stack) => stack.close()));
  await rm(dir, { recursive: true, force: true });
});

async function start(options: Partial<StackOptions> = {}): Promise<RunningStack> {
  const stack = await startStack({
    port: 0,
    stateDir: join(dir, 'state'),
    synthesize: writeSmallApp,
    seed: async () => customers,
    ...options,
  });
  stacks.push(stack);
  return stack;
}

async function act(stack: RunningStack, query: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${stack.info.api_url}/things/1?action=${query}`);
  return JSON.parse(await response.text());
}

/** Whether something accepts connections there; `fetch` does not connect to every port. */
async function isReachable(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

describe('startStack()', () => {
  it('runs the API, the queue and the table of the template together', async () => {
    const stack = await start();

    await act(stack, 'send');

    await expect.poll(() => act(stack, 'list')).toMatchObject({ Items: [{ pk: { S: 'hello' } }] });
  });

  it.each([
    { recursiveLoop: 'Allow', invocations: 20 },
    { recursiveLoop: 'Terminate', invocations: 16 },
  ])('invokes a function $invocations times in a chain of 20 messages with $recursiveLoop', async (given) => {
    const { recursiveLoop, invocations } = given;
    const stopped = Promise.withResolvers<string>();
    const stack = await start({
      synthesize: (request) => writeSmallApp({ ...request, recursiveLoop }),
      onLogLine: (_source, line) => line.startsWith('RecursiveInvocationException') && stopped.resolve(line),
    });

    await act(stack, 'send&body=again-19');

    const names = Array.from({ length: invocations }, (_, index) => `again-${19 - index}`).toSorted();
    await expect
      .poll(async () =>
        invoked
          .parse(await act(stack, 'list'))
          .Items.map(({ pk }) => pk.S)
          .toSorted(),
      )
      .toEqual(names);
    if (recursiveLoop === 'Terminate')
      expect(await stopped.promise).toContain('invoked the function 16 times');
  });

  it('gives functions the addresses of the emulators, and only the variables of the local stack', async () => {
    const stack = await start({ trustedOrigins: ['https://localhost:9'], timeScale: 600 });

    const environment = await act(stack, 'environment');

    expect(environment).toMatchObject({
      TABLE_NAME: 'data-Table',
      AWS_ENDPOINT_URL_DYNAMODB: stack.info.endpoints.dynamodb,
      AWS_ENDPOINT_URL_SQS: stack.info.endpoints.sqs,
      AWS_ENDPOINT_URL_SCHEDULER: stack.info.endpoints.scheduler,
      AWS_ENDPOINT_URL_KMS: stack.info.endpoints.kms,
      LOCAL_TRUSTED_ORIGINS: JSON.stringify(['https://localhost:9', stack.info.receiver.origin]),
      LOCAL_TIME_SCALE: '600',
    });
    expect(environment).not.toHaveProperty('AWS_LAMBDA_FUNCTION_NAME');
    expect(environment).not.toHaveProperty('HOME');
  });

  it('lets functions trust the certificate of the test receiver', async () => {
    const stack = await start();

    const { port } = new URL(stack.info.receiver.origin);
    const { status } = await act(stack, `reach&url=https://127.0.0.1:${port}/name`);

    expect(status).toBe(405);
  });

  it('runs functions in processes of their own on request, and measures them', async () => {
    const records: InvocationRecord[] = [];
    const stack = await start({ functionsIn: 'processes', onInvocation: (record) => records.push(record) });

    await act(stack, 'send');
    await expect.poll(() => records.map(({ folder }) => folder).sort()).toEqual(['api', 'consumer']);

    const [api, consumer] = await stack.functionUsage();
    expect(api).toMatchObject({ folder: 'api', peakMegabytes: expect.any(Number) });
    expect(consumer?.cpuMs).toBeGreaterThan(0);
    expect(records.find(({ folder }) => folder === 'consumer')).toMatchObject({
      records: 1,
      coldStart: true,
    });
    const { runner, dynamodb } = await stack.partUsage();
    expect(runner.cpuMs).toBeGreaterThan(0);
    expect(dynamodb?.peakMegabytes).toBeGreaterThan(1);
  });

  it('answers a failure of a function as the template says, and prints it', async () => {
    const lines: string[] = [];
    const stack = await start({ onLogLine: (source, line) => lines.push(`${source}: ${line}`) });

    const response = await fetch(`${stack.info.api_url}/things/1?action=fail`);

    expect([response.status, response.headers.get('content-type')]).toEqual([
      500,
      'application/problem+json',
    ]);
    await expect.poll(() => lines).toContain('local: api: Error: wanted');
  });

  it('describes itself in a file that only its owner can read, and removes it at the end', async () => {
    const stack = await start();
    const file = join(dir, 'state', 'stack.json');

    const content = stackFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const { mode } = await stat(file);
    await stack.close();

    expect(content).toEqual(stack.info);
    expect(content).toMatchObject({
      docs_url: `${content.api_url}/docs`,
      region: 'us-east-1',
      table_name: 'data-Table',
      intake_queue_url: `${content.endpoints.sqs}/000000000000/data-Queue`,
      customers,
    });
    expect(mode & 0o777).toBe(0o600);
    await expect(access(file)).rejects.toThrow();
  });

  it('leaves no open port', async () => {
    const stack = await start({ stackFile: null });
    const { api_url, endpoints, receiver } = stack.info;
    const urls = [api_url, ...Object.values(endpoints), receiver.inbox_url];
    expect(await Promise.all(urls.map(isReachable))).toEqual(urls.map(() => true));

    await stack.close();

    expect(await Promise.all(urls.map(isReachable))).toEqual(urls.map(() => false));
  });

  it('runs beside another stack, each with its own data', async () => {
    const [one, other] = await Promise.all([start(), start({ stackFile: null })]);

    await act(one, 'send');
    await expect.poll(() => act(one, 'list')).toMatchObject({ Count: 1 });

    expect(await act(other, 'list')).toMatchObject({ Count: 0 });
  });

  it('names the port that is taken and ends the parts that it started', async () => {
    const { info } = await start();
    const port = Number(new URL(info.api_url).port);

    await expect(start({ port, stackFile: null })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  });

  it('reports why the app could not be synthesized', async () => {
    const synthesize = () => Promise.reject(new Error('Cannot synthesize the CDK app: broken'));

    await expect(start({ synthesize })).rejects.toThrow('Cannot synthesize the CDK app: broken');
  });

  it.each(['http://localhost:9', 'https://localhost:9/', 'https://a@localhost', 'localhost'])(
    'refuses to trust %s',
    async (origin) => {
      await expect(start({ trustedOrigins: [origin] })).rejects.toThrow(`Cannot trust "${origin}"`);
    },
  );
});

describe('kept data', () => {
  it('kept customers, records and queues outlive the stack', async () => {
    const dataDir = join(dir, 'data');
    const first = await start({ dataDir });
    await act(first, 'send');
    await expect.poll(() => act(first, 'list')).toMatchObject({ Count: 1 });
    await first.close();

    const second = await start({ dataDir, seed: () => Promise.reject(new Error('not again')) });

    expect(second.info.customers).toEqual(customers);
    expect(second.info.receiver).toEqual(first.info.receiver);
    expect(await act(second, 'list')).toMatchObject({ Items: [{ pk: { S: 'hello' } }] });
    expect((await stat(join(dataDir, 'customers.json'))).mode & 0o777).toBe(0o600);
  });

  it('kept data outlives a killed process, which leaves no other process behind', async () => {
    const dataDir = join(dir, 'data');
    const { program, info } = await startProgram({ dataDir });
    await fetch(`${info.api_url}/things/1?action=send`);
    await expect
      .poll(async () => (await fetch(`${info.api_url}/things/1?action=list`)).text())
      .toContain('hello');

    program.kill('SIGKILL');
    await once(program, 'exit');

    await expect.poll(() => isReachable(info.endpoints.dynamodb)).toBe(false);
    const next = await start({ dataDir });
    expect(await act(next, 'list')).toMatchObject({ Items: [{ pk: { S: 'hello' } }] });
    await next.close();
    await expect(access(join(dataDir, 'app'))).rejects.toThrow('ENOENT');
  });

  it('a data folder is refused to a second stack', async () => {
    const dataDir = join(dir, 'data');
    const { program } = await startProgram({ dataDir });

    await expect(start({ dataDir })).rejects.toThrow(
      `Cannot use ${dataDir}: the stack with process id ${program.pid} uses it. ` +
        'End that stack, or name another folder with --data',
    );
  });

  it.each([
    ['a file', 'here.txt', 'here.txt is not a folder'],
    ['a folder below a file', 'here.txt/data', 'ENOTDIR'],
    ['a folder that the system does not let be made', '/proc/data', 'ENOENT'],
  ])('a data folder is refused in %s, before anything is built', async (_name, where, reason) => {
    await writeFile(join(dir, 'here.txt'), '');
    const dataDir = resolve(dir, where);
    const synthesize = vi.fn(writeSmallApp);

    const starting = start({ dataDir, synthesize });

    await expect(starting).rejects.toThrow(`Cannot keep data in ${dataDir} (`);
    await expect(starting).rejects.toThrow(reason);
    await expect(starting).rejects.toThrow(': name another folder with --data');
    expect(synthesize).not.toHaveBeenCalled();
  });
});

describe('the stack file', () => {
  it('the stack file of a running stack is refused to another, with the id of its owner', async () => {
    const stackFile = join(dir, 'state', 'stack.json');
    const { program, info } = await startProgram({ stackFile });
    const written = await readFile(stackFile, 'utf8');

    await expect(start({ stackFile })).rejects.toThrow(
      `Cannot start: ${stackFile} belongs to the stack with process id ${program.pid}, which answers at ` +
        `${info.api_url}. End that stack, or give this one another file with --stack-file`,
    );

    expect(await readFile(stackFile, 'utf8')).toBe(written);
  });

  it('the stack file goes to one of two stacks that start at once', async () => {
    const outcomes = await Promise.allSettled([start(), start()]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('the stack file of a killed stack is removed before the next stack is ready', async () => {
    const stackFile = join(dir, 'state', 'stack.json');
    const { program } = await startProgram({ stackFile });
    program.kill('SIGKILL');
    await once(program, 'exit');
    const leftBehind = vi.fn<() => void>();

    const stack = await start({
      stackFile,
      synthesize: async (request) => {
        await access(stackFile).then(leftBehind, () => undefined);
        await writeSmallApp(request);
      },
    });

    expect(leftBehind).not.toHaveBeenCalled();
    expect(stackFileSchema.parse(JSON.parse(await readFile(stackFile, 'utf8')))).toEqual(stack.info);
  });

  it('the stack file and its claim are removed when the process ends without closing the stack', async () => {
    const stackFile = join(dir, 'state', 'stack.json');
    const { program } = await startProgram({ stackFile });

    program.kill('SIGUSR2');
    await once(program, 'exit');

    expect(await readdir(join(dir, 'state'))).toEqual(['tls']);
  });
});

describe('a machine without DynamoDB', () => {
  it('a machine without DynamoDB is refused before anything is built', async () => {
    vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1/');
    const synthesize = vi.fn(writeSmallApp);

    await expect(start({ synthesize })).rejects.toThrow(
      'No DynamoDB answers at http://127.0.0.1:1, which DYNAMODB_ENDPOINT names: start it, or unset the variable',
    );

    expect(synthesize).not.toHaveBeenCalled();
  });
});

/** Runs a stack in a separate process, which ends at once on SIGUSR2. */
async function startProgram(options: { readonly dataDir?: string; readonly stackFile?: string }) {
  const script = `
    import { startStack } from '${new URL('../../local/stack/start.ts', import.meta.url).href}';
    import { writeSmallApp } from '${new URL('./small-app.ts', import.meta.url).href}';
    process.on('SIGUSR2', () => process.exit(3));
    const stack = await startStack({
      port: 0, stackFile: null, stateDir: '${join(dir, 'state')}', ...${JSON.stringify(options)},
      synthesize: writeSmallApp, seed: async () => ${JSON.stringify(customers)},
    });
    console.log(JSON.stringify(stack.info));
  `;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(program);
  const [line] = await once(createInterface({ input: program.stdout }), 'line');
  return { program, info: stackFileSchema.parse(JSON.parse(line)) };
}
