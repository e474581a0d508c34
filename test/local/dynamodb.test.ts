import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findEmulator } from '../../local/aws/dynamodb/emulator-binary.ts';
import { blockedPorts, findHiddenAddress } from '../../local/aws/dynamodb/hidden-address.ts';
import {
  type DynamodbOptions,
  type RunningDynamodb,
  startDynamodb,
} from '../../local/aws/dynamodb/start-dynamodb.ts';
import { listenOnLoopback, loopbackHost } from '../../local/servers/loopback-server.ts';

let dir: string;
const running: RunningDynamodb[] = [];
const clients: DynamoDBClient[] = [];
const programs: ChildProcess[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dynamodb-'));
  vi.stubEnv('DYNAMODB_ENDPOINT', undefined);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  await Promise.all(running.splice(0).map((dynamodb) => dynamodb[Symbol.asyncDispose]()));
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

async function begin(options: Partial<DynamodbOptions> = {}): Promise<RunningDynamodb> {
  const dynamodb = await startDynamodb(options);
  running.push(dynamodb);
  return dynamodb;
}

function clientOf(url: string): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  clients.push(client);
  return client;
}

/** In a table that it creates. */
async function storeItem(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  await client.send(new PutItemCommand({ TableName: 'things', Item: { pk: { S: 'a' } } }));
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A separate program that starts the emulator and then does nothing. */
async function beginElsewhere(dataDir: string): Promise<{ program: ChildProcess; url: string; pid: number }> {
  const module = new URL('../../local/aws/dynamodb/start-dynamodb.ts', import.meta.url).href;
  const source = `
    import { startDynamodb } from ${JSON.stringify(module)};
    const { url, pid } = await startDynamodb({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(url + ' ' + pid);
    setInterval(() => {}, 1000);`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(program);
  const [line] = await once(program.stdout, 'data');
  const [url = '', pid] = String(line).trim().split(' ');
  return { program, url, pid: Number(pid) };
}

describe('startDynamodb()', () => {
  it('serves tables, and leaves no process behind when it is closed', async () => {
    const dynamodb = await begin();
    await storeItem(clientOf(dynamodb.url));
    await dynamodb[Symbol.asyncDispose]();

    expect(isAlive(dynamodb.pid)).toBe(false);
  });

  it('ends the emulator, and loses nothing, when its own process is killed', async () => {
    const { program, url, pid } = await beginElsewhere(dir);
    await storeItem(clientOf(url));

    program.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    const again = await begin({ dataDir: dir });

    const Key = { pk: { S: 'a' } };
    const read = new GetItemCommand({ TableName: 'things', Key });
    expect((await clientOf(again.url).send(read)).Item).toEqual(Key);
  });

  it('reports that the emulator ended by itself, and not that it was closed', async () => {
    const ended = Promise.withResolvers<void>();
    const onUnexpectedEnd = vi.fn(() => ended.resolve());
    const closed = await begin({ onUnexpectedEnd });
    await closed[Symbol.asyncDispose]();
    expect(onUnexpectedEnd).not.toHaveBeenCalled();
    const { pid } = await begin({ onUnexpectedEnd });

    process.kill(pid ?? 0, 'SIGKILL');

    await ended.promise;
    expect(onUnexpectedEnd).toHaveBeenCalledTimes(1);
  });

  it('fails when another program answers at its port', async () => {
    const { port, close } = await listenOnLoopback(
      createServer((_request, response) => response.end('{}')),
      0,
    );

    await expect(begin({ address: { host: loopbackHost, port } })).rejects.toThrow(
      `did not start: error: port ${port} is already in use`,
    );

    await close();
  });

  it('repeats the output of an emulator that cannot start', async () => {
    await mkdir(join(dir, 'dynamodb.sqlite'));

    await expect(begin({ dataDir: dir })).rejects.toThrow(/did not start: .+/);
  });

  it('uses a running emulator that an option or the environment names, and leaves it running', async () => {
    const existing = await begin();

    const named = await begin({ endpoint: existing.url });
    vi.stubEnv('DYNAMODB_ENDPOINT', `${existing.url}/`);
    const found = await begin();
    for (const used of [named, found]) {
      expect(used).toMatchObject({ url: existing.url, pid: null });
      await used[Symbol.asyncDispose]();
    }

    await expect(clientOf(existing.url).send(new ListTablesCommand({}))).resolves.toBeDefined();
  });

  it('names an endpoint at which nothing answers', async () => {
    await expect(begin({ endpoint: 'http://127.0.0.1:1' })).rejects.toThrow(
      'No DynamoDB answers at http://127.0.0.1:1',
    );
  });
});

describe('findHiddenAddress()', () => {
  it.each(blockedPorts)('may choose port %i, to which browsers do not connect', async (port) => {
    const asked = fetch(`http://127.0.0.1:${port}/`);

    await expect(asked).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });

  it('chooses another address of loopback each time, so that many stacks find a port', async () => {
    const addresses = await Promise.all(Array.from({ length: 30 }, () => findHiddenAddress()));

    expect(new Set(addresses.map(({ host }) => host)).size).toBeGreaterThan(20);
    for (const { host, port } of addresses) {
      expect(host).toMatch(/^127(\.\d{1,3}){3}$/);
      expect(blockedPorts).toContain(port);
    }
  });
});

describe('findEmulator()', () => {
  it('names what to set or install on a machine without an emulator', () => {
    expect(() => findEmulator('linux', 'arm64')).toThrow(/DYNAMODB_ENDPOINT.*@dynoxide\/linux-arm64/);
  });
});
