import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import {
  blockedPorts,
  type DynamodbOptions,
  findEmulator,
  hiddenAddress,
  type RunningDynamodb,
  startDynamodb,
} from '../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { listenOnLoopback, loopbackHost } from '../../tools/local/servers/loopback-server.ts';

// test/local/start.test.ts has what happens when the stack is killed, and when nothing answers at an endpoint.

const version = manifest.optionalDependencies['@dynoxide/linux-x64'];

beforeEach(() => void vi.stubEnv('DYNAMODB_ENDPOINT', undefined));

async function begin(options: Partial<DynamodbOptions> = {}): Promise<RunningDynamodb> {
  const dynamodb = await startDynamodb(options);
  onTestFinished(() => dynamodb[Symbol.asyncDispose]());
  return dynamodb;
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

describe('startDynamodb()', () => {
  it('leaves no process behind when it is closed, and reports only an emulator that ended by itself', async () => {
    const ended = Promise.withResolvers<void>();
    const onUnexpectedEnd = vi.fn(() => ended.resolve());
    const closed = await begin({ onUnexpectedEnd });
    await closed[Symbol.asyncDispose]();
    expect([isAlive(closed.pid), onUnexpectedEnd.mock.calls]).toEqual([false, []]);
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

  it('uses a running emulator that an option or the environment names, and leaves it running', async () => {
    const existing = await begin();

    const named = await begin({ endpoint: existing.url });
    vi.stubEnv('DYNAMODB_ENDPOINT', `${existing.url}/`);
    const found = await begin();
    for (const used of [named, found]) {
      expect(used).toMatchObject({ url: existing.url, pid: null });
      await used[Symbol.asyncDispose]();
    }

    expect(isAlive(existing.pid)).toBe(true);
  });
});

describe('hiddenAddress()', () => {
  it.each(blockedPorts)('may choose port %i, to which browsers do not connect', async (port) => {
    const asked = fetch(`http://127.0.0.1:${port}/`);

    await expect(asked).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });

  it('chooses another address of loopback each time, so that many stacks find a port', () => {
    const addresses = Array.from({ length: 30 }, () => hiddenAddress('linux'));

    expect(new Set(addresses.map(({ host }) => host)).size).toBeGreaterThan(20);
    for (const { host, port } of addresses) {
      expect(host).toMatch(/^127(\.\d{1,3}){3}$/);
      expect(blockedPorts).toContain(port);
    }
  });

  it('chooses the address of loopback that every system has on systems with no other', () => {
    expect(hiddenAddress('darwin')).toEqual({ host: '127.0.0.1', port: expect.toBeOneOf([...blockedPorts]) });
  });
});

describe('findEmulator()', () => {
  it('says how to install one on a machine for which npm ci installs none', () => {
    expect(() => findEmulator('darwin', 'arm64')).toThrow(
      'No DynamoDB emulator is installed for darwin on arm64. Install one with ' +
        `\`npm install --no-save @dynoxide/darwin-arm64@${version}\`, or run one and set DYNAMODB_ENDPOINT to its ` +
        'address, as "Other machines" in docs/local-stack.md describes',
    );
  });

  it('the page on other machines names the same release', () => {
    const page = readFileSync(new URL('../../docs/local-stack.md', import.meta.url), 'utf8');
    const [, section] = page.split('\n## Other machines\n');

    expect(section).toContain(`@dynoxide/darwin-arm64@${version}`);
    expect(section).toContain(`ghcr.io/nubo-db/dynoxide:${version}`);
  });
});
