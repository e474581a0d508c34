import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { ReceivedDelivery } from '../../local/listen/receive-deliveries.ts';
import { type ListenOptions, startListening } from '../../local/listen/start-listening.ts';
import { endpointGone } from '../../local/listen/watch-endpoint.ts';
import { findFreePort } from '../../local/servers/free-port.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { startOwnServer } from '../support/stack/own-server.ts';
import { startRecordingTunnel } from '../support/stack/recording-tunnel.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { Program } from '../support/stack/stack-process.ts';

const { info } = inject('stack');
const stack = useStack();
const program = fileURLToPath(new URL('../../bin/listen.ts', import.meta.url));
const [firstOrigin = '', secondOrigin = ''] = info.listen.origins;

const eventCount = 4;

let customer: StackCustomer;
let dir: string;
let stackFile: string;

beforeEach(async () => {
  customer = await stack.newCustomer('Customer who listens');
  dir = await mkdtemp(join(tmpdir(), 'listen-'));
  stackFile = join(dir, 'stack.json');
  const customers = [{ id: customer.id, api_key: customer.apiKey }];
  await writeFile(stackFile, JSON.stringify({ ...info, customers }));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function listenInProcess(options: Partial<ListenOptions> = {}) {
  const deliveries: ReceivedDelivery[] = [];
  const { origins, cert_file: certFile, key_file: keyFile } = info.listen;
  const listening = await startListening({
    access: { apiUrl: info.api_url, key: customer.apiKey },
    place: { kind: 'stack', origins, certFile, keyFile },
    folderId: randomBytes(6).toString('hex'),
    forwardHandshake: false,
    now: Date.now,
    onLeftOver: () => {},
    onReady: () => {},
    onDelivery: (delivery) => deliveries.push(delivery),
    ...options,
  });
  onTestFinished(() => listening.close().catch(() => undefined));
  return { listening, deliveries };
}

async function launch(...args: readonly string[]): Promise<Program> {
  const child = await Program.start(process.execPath, [program, '--stack-file', stackFile, ...args], {
    cwd: dir,
    env: { TMPDIR: dir, API_KEY: '' },
  });
  onTestFinished(async () => {
    child.kill();
    await child.exited();
  });
  return child;
}

const isReplaced = (name: string): boolean => ['host', 'connection'].includes(name.toLowerCase());
const textOf = (request: readonly string[]): string => request.join('\n');

describe('npm run listen', () => {
  it(`forwards ${eventCount} events with the bytes and the headers that the service sent`, async () => {
    const own = await startOwnServer(() => 204);
    onTestFinished(() => own.close());
    const port = await findFreePort();
    const [cert, key] = await Promise.all([
      readFile(info.listen.cert_file, 'utf8'),
      readFile(info.listen.key_file, 'utf8'),
    ]);
    const tunnel = await startRecordingTunnel({ cert, key }, Number(new URL(firstOrigin).port), port);
    onTestFinished(() => tunnel.close());
    const { listening, deliveries } = await listenInProcess({
      place: { kind: 'tunnel', url: `${firstOrigin}/tunnel?a=1`, port },
      forward: new URL(`http://localhost:${own.port}/hook?b=2`),
    });

    await Promise.all(Array.from({ length: eventCount }, () => customer.settleRun()));
    const eventIds = () => new Set(own.requests.map(({ body }) => /evt_\w+/.exec(body.toString())?.[0]));
    await eventually(async () => expect(eventIds().size).toBe(eventCount));
    // On a busy machine an attempt can time out: its retry arrives too, and must be the same here and there.
    await stack.drained();

    const wanted = tunnel
      .requests()
      .map(({ headers, body }) => [
        ...headers.filter(([name]) => !isReplaced(name)).flat(),
        body.toString('latin1'),
      ])
      .filter((request) => !request.includes('webhook.test'));
    const received = own.requests.map(({ rawHeaders, body }) => [
      ...rawHeaders.filter((_, index) => !isReplaced(rawHeaders[index - (index % 2)] ?? '')),
      body.toString('latin1'),
    ]);
    expect(received.map(textOf).toSorted()).toEqual(wanted.map(textOf).toSorted());
    expect(received[0]).toContain('X-Service-Signature');
    expect(new Set(own.requests.map(({ method, url }) => `${method} ${url}`))).toEqual(
      new Set(['POST /hook?b=2']),
    );
    expect(own.requests[0]?.rawHeaders).toContain(`localhost:${own.port}`);
    expect(deliveries.filter(({ fault }) => fault !== null)).toEqual([]);
    expect((await customer.webhook(listening.webhookId)).status).toBe('active');
  });

  it('says when its endpoint receives no more events', async () => {
    const { listening } = await listenInProcess();
    const { signal } = new AbortController();
    const gone = endpointGone(listening, { everyMs: 500, signal, onSilence: () => {} });

    await customer.remove(listening.webhookId);

    expect(await gone).toBe(true);
  });

  it('leaves the endpoint of another run alone, and takes the next address', async () => {
    await listenInProcess();
    await listenInProcess();

    expect((await customer.webhooks()).map(({ url }) => url).toSorted()).toEqual(
      info.listen.origins.map((origin) => `${origin}/`).toSorted(),
    );
  });

  it('shows why the service could not deliver the test event, and keeps no failed endpoint', async () => {
    const place = { kind: 'tunnel', url: `${secondOrigin}/`, port: await findFreePort() } as const;

    await expect(listenInProcess({ place })).rejects.toThrow(
      /^The service could not deliver the test event to https:.*refused/,
    );

    expect(await customer.webhooks()).toEqual([]);
  });

  it('deletes the endpoint that a killed run left behind, and its own when the terminal is closed', async () => {
    const killed = await launch('--print-secret');
    await killed.printed('Forwards to');
    expect(killed.output).toMatch(/^whsec_\S+$/m);
    killed.kill();
    await killed.exited();
    const leftOver = only(await customer.webhooks());

    const child = await launch('--json');
    await child.printed('"kind":"ready"');

    expect(JSON.parse(child.output.split('\n')[0] ?? '')).toMatchObject({
      kind: 'left_over_deleted',
      webhook_id: leftOver.id,
    });
    expect(only(await customer.webhooks()).id).not.toBe(leftOver.id);
    child.closeOutput();
    process.kill(-child.pid, 'SIGHUP');
    expect(await child.exited()).toBe(0);
    expect(await customer.webhooks()).toEqual([]);
  });

  it('names the source of a key that the API refuses', async () => {
    const child = await launch('--key', 'key_unknown');

    expect(await child.exited()).toBe(1);
    expect(child.output).toMatch(
      /^Check that you sent .* \(401 invalid_key\)\. The key comes from --key; without it, listen .*\n$/,
    );
  });
});
