import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import type { InvocationRecord } from '../../tools/local/aws/lambda/invocation-record.ts';
import { stackFileSchema } from '../../tools/local/stack/stack-file.ts';
import { claimDataDir } from '../../tools/local/stack/stack-folders.ts';
import type { StackOptions } from '../../tools/local/stack/stack-options.ts';
import { type RunningStack, startStack } from '../../tools/local/stack/start.ts';
import { synthesizeApp } from '../../tools/local/stack/synthesize-app.ts';
import { type ListeningSocket, listeningSockets } from '../support/stack/listening-sockets.ts';
import { temporaryFolder, useFolder } from '../support/vitest/temporary-folder.ts';
import { writeSmallApp } from './small-app.ts';

const customers = [
  { id: 'cus_1', api_key: 'key_1' },
  { id: 'cus_2', api_key: 'key_2' },
];
const isLinux = process.platform === 'linux';

/** Where DynamoDB does not answer. */
const nowhere = 'http://127.0.0.1:1/';

/** The rows of the consumer, one for each message. */
const rows = z.object({ Items: z.array(z.object({ pk: z.object({ S: z.string() }) })) });

let dir: string;

beforeEach(async () => {
  dir = await temporaryFolder();
});

/** Starts a small app, which ends with the test. */
async function start(options: Partial<StackOptions> = {}): Promise<RunningStack> {
  const stack = await startSmallApp({ stateDir: join(dir, 'state'), ...options });
  onTestFinished(() => stack.close());
  return stack;
}

const startSmallApp = (options: Partial<StackOptions>) =>
  startStack({ port: 0, synthesize: writeSmallApp, seed: async () => customers, ...options });

async function act(stack: Pick<RunningStack, 'info'>, query: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${stack.info.api_url}/things/1?action=${query}`);
  return JSON.parse(await response.text());
}

/** The messages that the consumer has stored. */
async function stored(stack: Pick<RunningStack, 'info'>): Promise<readonly string[]> {
  return rows
    .parse(await act(stack, 'list'))
    .Items.map(({ pk }) => pk.S)
    .toSorted();
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

/** Names of the messages of a chain from `again-19` on. */
const chain = (count: number) => Array.from({ length: count }, (_, n) => `again-${19 - n}`).toSorted();

type Headers = Readonly<Record<string, string>>;
type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

const origin = 'https://evil.example';
const crossSite = { 'Sec-Fetch-Site': 'cross-site' };

/** What a browser makes of `fetch`, forms and images on a page elsewhere, with `PORT` for the port. */
const foreign: readonly (readonly [string, string, Headers])[] = [
  [
    'the preflight of another origin',
    'OPTIONS',
    {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,x-amz-target',
    },
  ],
  ['a simple POST of another origin', 'POST', { Origin: origin, 'Content-Type': 'text/plain' }],
  ['a form of a sandboxed frame', 'POST', { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' }],
  [
    'a page of another program on this machine',
    'POST',
    { Origin: 'http://localhost:1', 'Sec-Fetch-Site': 'same-site' },
  ],
  [
    'a page whose name was rebound to this machine',
    'POST',
    { Host: 'evil.example:PORT', Origin: 'http://evil.example:PORT', 'Sec-Fetch-Site': 'same-origin' },
  ],
  ['a GET by a name that was rebound to this machine', 'GET', { Host: 'evil.example:PORT' }],
  ...['evil.host.docker.internal:PORT', 'host.docker.internal.evil.example:PORT', 'host.docker.internal:1'].map(
    (host) => [`a GET to ${host}`, 'GET', { Host: host }] as const,
  ),
  [
    'a page that a hostile name server shows by the name for containers',
    'POST',
    { Host: 'host.docker.internal:PORT', Origin: 'http://host.docker.internal:PORT' },
  ],
  [
    'a page of another origin, by the name for containers',
    'POST',
    { Host: 'host.docker.internal:PORT', Origin: origin },
  ],
  ['an image on a page of another origin', 'GET', { ...crossSite, 'Sec-Fetch-Mode': 'no-cors' }],
  [
    'a frame on a page of another origin',
    'GET',
    { ...crossSite, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
  ],
  [
    'a form whose origin the browser keeps back',
    'POST',
    { ...crossSite, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
  ],
];

/** Node's `fetch` keeps the list of ports that the Fetch standard has every browser refuse to connect to. */
async function isBlockedByBrowsers({ host, port }: ListeningSocket): Promise<boolean> {
  try {
    await (await fetch(`http://${host}:${port}/`)).arrayBuffer();
    return false;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
  }
}

describe('a running stack', () => {
  const lines: string[] = [];
  const stopped = Promise.withResolvers<string>();
  const folder = useFolder();
  let stateDir: string;
  let stack: RunningStack;
  let sockets: readonly ListeningSocket[];

  beforeAll(async () => {
    stateDir = folder();
    const before = isLinux ? await listeningSockets(process.pid) : [];
    stack = await startSmallApp({
      stateDir,
      trustedOrigins: ['https://localhost:9'],
      timeScale: 600,
      onLogLine: (source, line) => {
        lines.push(`${source}: ${line}`);
        if (line.startsWith('RecursiveInvocationException')) stopped.resolve(line);
      },
    });
    const isNew = ({ port }: ListeningSocket): boolean => !before.some((each) => each.port === port);
    sockets = isLinux
      ? (await listeningSockets(process.pid)).filter(isNew)
      : namedPorts().map((port) => ({ host: '127.0.0.1', port }));
  });
  afterAll(() => stack?.close());

  function namedPorts(): number[] {
    const { api_url, receiver, issuer } = stack.info;
    // Lambda answers at the port of the API.
    const { lambda: _, ...endpoints } = stack.info.endpoints;
    const urls = [api_url, ...Object.values(endpoints), receiver.origin, receiver.inbox_url, issuer.url];
    return urls.map((url) => Number(new URL(url).port));
  }

  /** To the own address of the port, unless the headers name another host. */
  async function send(socket: ListeningSocket, method: string, given: Headers): Promise<Answer> {
    const start = String(socket.port) === new URL(stack.info.receiver.origin).port ? requestTls : request;
    const named = Object.entries({ Host: '127.0.0.1:PORT', ...given });
    const headers = Object.fromEntries(
      named.map(([name, value]) => [name, value.replace('PORT', String(socket.port))]),
    );
    const asked = start({ ...socket, method, headers, path: '/', agent: false, rejectUnauthorized: false });
    asked.end(method === 'POST' ? '{}' : undefined);
    const [answer] = await once(asked, 'response');
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
  }

  it('stops a function that invokes itself after 16 invocations', async () => {
    await act(stack, 'send&body=again-19');

    expect(await stopped.promise).toContain('invoked the function 16 times');
    expect((await stored(stack)).filter((name) => name.startsWith('again'))).toEqual(chain(16));
  });

  it('gives functions the addresses of the emulators, and only the variables of the local stack', async () => {
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

  it('answers a failure of a function as the template says, and prints it', async () => {
    const { status, headers } = await fetch(`${stack.info.api_url}/things/1?action=fail`);

    expect([status, headers.get('content-type')]).toEqual([500, 'application/problem+json']);
    await expect.poll(() => lines).toContain('local: api: Error: wanted');
  });

  it('refuses its port and its stack file to another stack, before that builds anything', async () => {
    const synthesize = vi.fn(writeSmallApp);
    const { port } = new URL(stack.info.api_url);

    await expect(start({ port: Number(port), synthesize })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
    await expect(start({ stateDir, synthesize })).rejects.toThrow(
      `Cannot start: ${join(stateDir, 'stack.json')} belongs to the stack with process id ${process.pid}, which ` +
        `answers at ${stack.info.api_url}. End that stack, or give this one another file with --stack-file`,
    );
    expect(synthesize).not.toHaveBeenCalled();
  });

  it('every port of the stack listens on loopback, and is named in the stack file', () => {
    expect(sockets.map(({ port }) => port).sort()).toEqual(namedPorts().sort());
    expect(sockets.filter(({ host }) => !host.startsWith('127.'))).toEqual([]);
  });

  it.each(foreign)('every port of the stack is out of reach for %s', async (_name, method, headers) => {
    const outcomes = await Promise.all(
      sockets.map(async (socket) => {
        if (await isBlockedByBrowsers(socket)) return 'no browser connects';
        const answer = await send(socket, method, headers);
        return answer.headers['access-control-allow-origin'] ?? answer.status;
      }),
    );

    expect(outcomes).toEqual(sockets.map(() => expect.toBeOneOf([403, 'no browser connects'])));
  });

  it('every port of the stack answers programs, its own pages, and a person who follows a link', async () => {
    const outcomes = await Promise.all(
      sockets.map(async (socket) => {
        const { port } = socket;
        const scheme = String(port) === new URL(stack.info.receiver.origin).port ? 'https' : 'http';
        const link = { ...crossSite, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
        const answers = await Promise.all([
          send(socket, 'GET', {}),
          send(socket, 'GET', { Host: 'LOCALHOST:PORT' }),
          send(socket, 'POST', { Origin: `${scheme}://127.0.0.1:PORT` }),
          send(socket, 'GET', { 'Sec-Fetch-Site': 'same-origin' }),
          send(socket, 'GET', link),
        ]);
        return answers.filter(({ status }) => status === 403);
      }),
    );

    expect(outcomes).toEqual(sockets.map(() => []));
  });

  it.each([
    'host.docker.internal:PORT',
    'HOST.docker.internal.:PORT',
    'gateway.docker.internal:PORT',
    'host.containers.internal:PORT',
    'host.lima.internal:PORT',
    'host.orb.internal:PORT',
    'host.rancher-desktop.internal:PORT',
    'localhost.:PORT',
  ])('every port answers programs in a container, which call it %s', async (host) => {
    const outcomes = await Promise.all(
      sockets.flatMap((socket) => ['GET', 'POST'].map((method) => send(socket, method, { Host: host }))),
    );

    expect(outcomes.filter(({ status }) => status === 403)).toEqual([]);
  });

  it('every port says why it refuses a request, and what to do', async () => {
    const port = Number(new URL(stack.info.api_url).port);
    const refused = async (headers: Headers): Promise<unknown> =>
      JSON.parse((await send({ host: '127.0.0.1', port }, 'GET', headers)).body);

    expect(await refused({ Origin: origin })).toEqual({
      message:
        'The request comes from a web page of "https://evil.example", and the local stack answers only its own ' +
        'pages: send it from a program, or without Origin and Sec-Fetch headers',
    });
    expect(await refused({ Host: `evil.example:${port}` })).toEqual({
      message: `The request is addressed to "evil.example:${port}": use 127.0.0.1:${port}`,
    });
  });

  it('describes itself in a file that only its owner can read; at its end, no file and no port are left', async () => {
    const file = join(stateDir, 'stack.json');
    const { info } = stack;
    const urls = [info.api_url, ...Object.values(info.endpoints), info.receiver.inbox_url];

    expect(stackFileSchema.parse(JSON.parse(await readFile(file, 'utf8')))).toEqual(info);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(info).toMatchObject({
      docs_url: `${info.api_url}/docs`,
      region: 'us-east-1',
      table_name: 'data-Table',
      intake_queue_url: `${info.endpoints.sqs}/000000000000/data-Queue`,
      customers,
    });
    expect(await Promise.all(urls.map(isReachable))).toEqual(urls.map(() => true));

    await stack.close();

    expect(await readdir(stateDir)).toEqual(['tls']);
    expect(await Promise.all(urls.map(isReachable))).toEqual(urls.map(() => false));
  });
});

describe('startStack()', () => {
  it('gives a function at least the time that it waits for a busy emulator', async () => {
    const stack = await start({ idleTimeout: 3_600_000 });

    const { ms } = await act(stack, 'remaining');

    expect(ms).toBeGreaterThan(1_800_000);
  });

  it('allows a function to loop where the template does, and reports each invocation', async () => {
    const records: InvocationRecord[] = [];
    const stack = await start({
      synthesize: (request) => writeSmallApp({ ...request, recursiveLoop: 'Allow' }),
      onInvocation: (record) => records.push(record),
    });

    await act(stack, 'send&body=again-19');
    await expect.poll(() => stored(stack)).toEqual(chain(20));

    expect(records.find(({ folder }) => folder === 'consumer')).toMatchObject({
      records: 1,
      coldStart: true,
    });
  });

  it('runs a function by its rule', async () => {
    const ran = Promise.withResolvers<InvocationRecord>();

    await start({ timeScale: 7_200_000, minRuleInterval: 1, onInvocation: ran.resolve });

    expect(await ran.promise).toMatchObject({ folder: 'consumer' });
  });

  it('reports why the app could not be synthesized', async () => {
    const synthesize = () => Promise.reject(new Error('Cannot synthesize the CDK app: broken'));

    await expect(start({ synthesize })).rejects.toThrow('Cannot synthesize the CDK app: broken');
  });

  it('says what to do when there is no folder for temporary files', async () => {
    vi.stubEnv('TMPDIR', join(dir, 'missing'));

    await expect(start()).rejects.toThrow(
      /^Cannot make a temporary folder \(ENOENT: .*\): set TMPDIR to a folder that you can write to$/,
    );
  });

  it.each(['http://localhost:9', 'https://localhost:9/', 'https://a@localhost', 'https://localhost.:9', 'localhost'])(
    'refuses to trust %s',
    async (origin) => {
      await expect(start({ trustedOrigins: [origin] })).rejects.toThrow(`Cannot trust "${origin}"`);
    },
  );

  // A process that loads the CDK takes seconds.
  it.runIf(process.env.LONG_TESTS === '1')('says on one line where the app could not be written', async () => {
    const outDir = join(dir, 'file', 'app');
    await writeFile(join(dir, 'file'), '');

    const written = synthesizeApp({ outDir, context: { stage: 'local' }, signal: new AbortController().signal });

    await expect(written).rejects.toThrow(/^Cannot synthesize the CDK app:\nENOTDIR: .*\n$/);
  });

  it('refuses a machine without DynamoDB before anything is built', async () => {
    vi.stubEnv('DYNAMODB_ENDPOINT', nowhere);
    const synthesize = vi.fn(writeSmallApp);

    await expect(start({ synthesize })).rejects.toThrow(
      `No DynamoDB answers at ${nowhere.slice(0, -1)}, which DYNAMODB_ENDPOINT names: start it, or unset the variable`,
    );

    expect(synthesize).not.toHaveBeenCalled();
  });
});

describe('kept data', () => {
  it('kept customers, records and queues outlive the stack, and a killed process, of which nothing is left', async () => {
    const [dataDir, stackFile] = [join(dir, 'data'), join(dir, 'stack.json')];
    const first = await start({ dataDir });
    await act(first, 'send');
    await expect.poll(() => stored(first)).toEqual(['hello']);
    await first.close();
    const killed = await startProgram({ dataDir, stackFile });
    expect(await stored(killed)).toEqual(['hello']);
    await act(killed, 'send&body=again-0');
    await expect.poll(() => stored(killed)).toEqual(['again-0', 'hello']);

    killed.program.kill('SIGKILL');
    await once(killed.program, 'exit');

    await expect.poll(() => isReachable(killed.info.endpoints.dynamodb)).toBe(false);
    const leftBehind = vi.fn<() => void>();
    const next = await start({
      dataDir,
      stackFile,
      seed: () => Promise.reject(new Error('not again')),
      synthesize: async (request) => {
        await access(stackFile).then(leftBehind, () => undefined);
        await writeSmallApp(request);
      },
    });
    expect(leftBehind).not.toHaveBeenCalled();
    expect(next.info).toMatchObject({ customers, receiver: first.info.receiver });
    expect(await stored(next)).toEqual(['again-0', 'hello']);
    await next.close();
    await expect(access(join(dataDir, 'app'))).rejects.toThrow('ENOENT');
    const kept = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
    const modes = kept.map(async ({ parentPath, name }) => ({ name, mode: await modeOf(join(parentPath, name)) }));
    // The folder may have been there before, and others may read it.
    expect(await Promise.all(modes)).toEqual(kept.map(({ name }) => ({ name, mode: 0o600 })));
  });

  it('a data folder is refused to a second stack', async () => {
    const dataDir = join(dir, 'data');
    const release = await claimDataDir(dataDir);
    onTestFinished(release);

    await expect(start({ dataDir })).rejects.toThrow(
      `Cannot use ${dataDir}: the stack with process id ${process.pid} uses it. ` +
        'End that stack, or name another folder with --data',
    );
  });

  it.each([
    ['a file', 'here.txt', 'here.txt is not a folder'],
    ['a folder below a file', 'here.txt/data', 'ENOTDIR'],
    ['a folder that the system does not let be made', '/proc/data', isLinux ? 'ENOENT' : ''],
  ])('a data folder is refused in %s', async (_name, where, reason) => {
    await writeFile(join(dir, 'here.txt'), '');
    const dataDir = resolve(dir, where);

    const starting = start({ dataDir });

    await expect(starting).rejects.toThrow(`Cannot keep data in ${dataDir} (`);
    await expect(starting).rejects.toThrow(reason);
    await expect(starting).rejects.toThrow(': name another folder with --data');
  });

  it('the stack file and its claim are removed when the process ends without closing the stack', async () => {
    const { program } = await startProgram({ stackFile: join(dir, 'state', 'stack.json') });

    program.kill('SIGUSR2');
    await once(program, 'exit');

    expect(await readdir(join(dir, 'state'))).toEqual(['tls']);
  });
});

/** Runs a stack in a separate process, which ends at once on SIGUSR2. */
async function startProgram(options: { readonly dataDir?: string; readonly stackFile?: string }) {
  const script = `
    import { startStack } from ${JSON.stringify(new URL('../../tools/local/stack/start.ts', import.meta.url))};
    import { writeSmallApp } from ${JSON.stringify(new URL('./small-app.ts', import.meta.url))};
    process.on('SIGUSR2', () => process.exit(3));
    const stack = await startStack({
      port: 0, stackFile: null, stateDir: ${JSON.stringify(join(dir, 'state'))}, ...${JSON.stringify(options)},
      synthesize: writeSmallApp, seed: async () => ${JSON.stringify(customers)},
    });
    console.log(JSON.stringify(stack.info));
  `;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: program.stdout }), 'line');
  return { program, info: stackFileSchema.parse(JSON.parse(line)) };
}
