import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { signatureHeader } from '#shared/domain/signature.ts';
import { endpointMark, findLeftOvers, openFolderId } from '../../tools/local/listen/endpoints.ts';
import { type Forwarded, forwardDelivery } from '../../tools/local/listen/forward-delivery.ts';
import { findTarget, type TargetFlags } from '../../tools/local/listen/listen-target.ts';
import { openReceiver, type Place } from '../../tools/local/listen/open-receiver.ts';
import { createReport } from '../../tools/local/listen/print-report.ts';
import {
  type ReceivedDelivery,
  type ReceiveOptions,
  receiveDeliveries,
} from '../../tools/local/listen/receive-deliveries.ts';
import { endpointGone, startListening } from '../../tools/local/listen/start-listening.ts';
import { openCertificate } from '../../tools/local/parties/receiver/certificates.ts';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import { listenOnLoopback } from '../../tools/local/servers/loopback-server.ts';
import { UsageError } from '../../tools/operator/cli/usage-error.ts';
import { buildStackFile } from '../support/stack/stack-file.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const at = Date.parse('2026-11-20T09:30:00Z');
const event = Buffer.from('{"id":"evt_1","type":"run.completed"}');

async function openListener(options: Partial<ReceiveOptions> = {}) {
  const deliveries: ReceivedDelivery[] = [];
  const listener = receiveDeliveries({
    secret: Promise.resolve(secret),
    forwardHandshake: false,
    onDelivery: (delivery) => deliveries.push(delivery),
    now: () => at,
    ...options,
  });
  const { port, close } = await listenOnLoopback(createServer(listener), 0, 'any');
  onTestFinished(() => close());
  return { port, deliveries };
}

/** The plain-http server of a developer; with the status 0, it does not answer. */
async function openOwnServer(status: number) {
  const requests: (Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & { readonly body: Buffer })[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, url, rawHeaders } = incoming;
    const count = requests.push({ method, url, rawHeaders, body: await buffer(incoming) });
    if (status !== 0) response.writeHead(status, { 'X-Own': 'yes' }).end(`answer ${count}`);
  });
  const { port, close } = await listenOnLoopback(server, 0);
  onTestFinished(() => close(0));
  return { requests, url: new URL(`http://127.0.0.1:${port}/hook?b=2`) };
}

async function post(port: number, headers: readonly string[], body: Buffer = event) {
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', headers: [...headers], agent: false });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return { status: response.statusCode, headers: response.rawHeaders, body: await text(response) };
}

const signed = (sentAt = at, by = secret, type = 'run.completed') => [
  ...['Host', 'tunnel.example.com', 'Content-Length', String(event.length)],
  ...['X-Service-Signature', signatureHeader([by], event, sentAt)],
  ...['X-Service-Event-Id', 'evt_1', 'X-Service-Event-Type', type],
];

describe('receiveDeliveries()', () => {
  it.each([
    ['no signature', signed().toSpliced(4, 2), 'The request has no X-Service-Signature header'],
    ['an old timestamp', signed(at - 301_000), 'The timestamp is 301 s from the arrival; at most 300 s are'],
    ['another secret', signed(at, 'whsec_other'), 'No v1 matches a secret that the receiver has'],
    [
      'another form of signature',
      signed().with(5, 'v1=00'),
      'The X-Service-Signature header has no t=<unix seconds> and v1=<hex>',
    ],
  ])('answers a request with %s with 401 and the reason, and forwards nothing', async (_, headers, reason) => {
    const own = await openOwnServer(204);
    const { port, deliveries } = await openListener({ forward: own.url });

    const { status } = await post(port, headers);

    expect(status).toBe(401);
    expect(deliveries).toMatchObject([
      { fault: expect.stringContaining(reason), responseStatus: 401, forwarded: null },
    ]);
    expect(own.requests).toEqual([]);
  });

  it('passes the status, the headers and the body of the own server on, also of a redirect', async () => {
    const own = await openOwnServer(302);
    const { port, deliveries } = await openListener({ forward: own.url });

    const { status, headers, body } = await post(port, signed());

    expect([status, body]).toEqual([302, 'answer 1']);
    expect(headers).toContain('X-Own');
    expect(deliveries).toMatchObject([{ fault: null, responseStatus: 302, forwarded: { status: 302 } }]);
  });

  it('forwards duplicate headers and letter case, but not the headers of the connection', async () => {
    const own = await openOwnServer(204);
    const { port } = await openListener({ forward: own.url });
    const kept = ['x-LOWER-Upper', 'a', 'X-Twice', '1', 'x-twice', '2', 'X-Latin', 'caf\xe9'];
    const dropped = ['Connection', 'close, X-Named', 'X-Named', '1', 'Keep-Alive', 'timeout=5', 'TE', 'gzip'];

    await post(port, [...signed(), ...kept, ...dropped]);

    const wanted = [...signed().with(1, own.url.host), ...kept, 'Connection', 'close'];
    expect(own.requests).toMatchObject([{ method: 'POST', url: '/hook?b=2', rawHeaders: wanted }]);
    expect(own.requests[0]?.body.equals(event)).toBe(true);
  });

  it('forwards a body that arrived in chunks with its length', async () => {
    const own = await openOwnServer(204);
    const { port } = await openListener({ forward: own.url });

    await post(port, [...signed().toSpliced(2, 2), 'Transfer-Encoding', 'chunked']);

    const [received] = own.requests;
    expect(received?.body.equals(event)).toBe(true);
    expect(received?.rawHeaders).toContain('Content-Length');
    expect(received?.rawHeaders).not.toContain('Transfer-Encoding');
  });

  it('counts the requests with one event id', async () => {
    const { port, deliveries } = await openListener();

    await post(port, signed());
    await post(port, signed(at, 'whsec_other'));
    await post(port, signed(at + 1_000));

    expect(deliveries.map(({ request: count, responseStatus }) => [count, responseStatus])).toEqual([
      [1, 200],
      [1, 401],
      [2, 200],
    ]);
  });

  it.each([
    [false, 200, 0],
    [true, 418, 1],
  ])(
    'answers the handshake before the secret is known; forwardHandshake: %s',
    async (forwardHandshake, status, count) => {
      const own = await openOwnServer(418);
      const known = Promise.withResolvers<string>();
      const { port, deliveries } = await openListener({
        secret: known.promise,
        forward: own.url,
        forwardHandshake,
      });

      const handshake = await post(port, signed(at, secret, 'webhook.test'));
      expect(deliveries).toEqual([]);
      known.resolve(secret);

      expect([handshake.status, own.requests.length]).toEqual([status, count]);
      await expect.poll(() => deliveries).toMatchObject([{ isHandshake: true, fault: null }]);
    },
  );

  it('holds every other request until the secret is known', async () => {
    const known = Promise.withResolvers<string>();
    const now = vi.fn(() => at);
    const { port, deliveries } = await openListener({
      secret: known.promise,
      now,
    });
    await post(port, signed(at, secret, 'webhook.test'));

    const early = post(port, signed());
    const second = post(port, signed(at, 'whsec_other', 'webhook.test'));
    await expect.poll(() => now.mock.calls.length).toBe(3);
    await fetch(`http://127.0.0.1:${port}/`);
    expect(deliveries).toEqual([]);
    known.resolve(secret);

    expect([(await early).status, (await second).status]).toEqual([200, 401]);
    expect(deliveries).toHaveLength(3);
  });

  it('refuses other methods, and survives a client that ends early', async () => {
    const { port, deliveries } = await openListener();
    const socket = connect(port, '127.0.0.1');
    socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab');
    await buffer(socket);

    const response = await fetch(`http://127.0.0.1:${port}/`);

    expect(response.status).toBe(405);
    expect(deliveries).toEqual([]);
  });
});

describe('forwardDelivery()', () => {
  const silent = async () => (await openOwnServer(0)).url;
  const down = async () => new URL('http://127.0.0.1:1/');

  it.each([
    [502, 'is down', down, 30_000, '(ECONNREFUSED)'],
    [504, 'does not respond in time', silent, 50, 'within 0.05 s'],
  ] as const)('answers %i when the own server %s', async (status, _, open, timeoutMs, reason) => {
    const target = await open();
    const received = { headers: [['Host', 'tunnel.example.com']] as const, body: event };
    const results: Forwarded[] = [];
    const server = createServer(async (_request, response) => {
      results.push(await forwardDelivery(target, received, response, { timeoutMs }));
    });
    const { port, close } = await listenOnLoopback(server, 0);
    onTestFinished(() => close());

    const response = await fetch(`http://127.0.0.1:${port}/`);

    expect(response.status).toBe(status);
    expect(results).toMatchObject([{ status: null, error: `no response from ${target.origin} ${reason}` }]);
  });
});

describe('findTarget()', () => {
  let dir: string;
  const stack = buildStackFile({
    api_url: 'http://127.0.0.1:8787',
    listen: { origins: ['https://localhost:9445'], cert_file: 'c', key_file: 'k' },
  });
  beforeEach(async () => {
    dir = await temporaryFolder();
    await writeFile(join(dir, 'stack.json'), JSON.stringify(stack));
  });

  const find = (flags: Omit<TargetFlags, 'stackFile'>, environmentKey?: string) =>
    findTarget(
      { stackFile: join(dir, 'stack.json'), ...flags },
      { environmentKey, findApiUrl: async (stage) => `https://${stage}.example.com` },
    );

  it('takes the local stack and its first customer by default', async () => {
    expect(await find({})).toEqual({
      access: { url: 'http://127.0.0.1:8787', credential: 'key_1' },
      keySource: 'the local stack',
      place: { kind: 'stack', origins: ['https://localhost:9445'], certFile: 'c', keyFile: 'k' },
      customerId: 'cus_1',
    });
  });

  it('takes the key of --key before that of API_KEY, and that before the one of the stack', async () => {
    expect(await find({ key: 'key_2' }, 'key_3')).toMatchObject({
      access: { credential: 'key_2' },
      keySource: '--key',
    });
    expect(await find({}, 'key_3')).toMatchObject({ access: { credential: 'key_3' }, customerId: undefined });
  });

  it('listens behind a tunnel for the API of a deployed stage', async () => {
    expect(await find({ stage: 'prod', url: 'https://t.example.com/', key: 'key_2' })).toEqual({
      access: { url: 'https://prod.example.com', credential: 'key_2' },
      keySource: '--key',
      place: { kind: 'tunnel', url: 'https://t.example.com/', port: 9450 },
      customerId: undefined,
    });
  });

  it.each([
    [{ api: 'https://api.example.com' }, /tunnel of your choice to http:\/\/127\.0\.0\.1:9450[\s\S]*--url https:/],
    [{ api: 'https://api.example.com', url: 'https://t.example.com/' }, /--key or in API_KEY/],
    [{ api: 'http://127.0.0.1:1' }, /describes the stack at http:\/\/127\.0\.0\.1:8787, not http:\/\/127\.0\.0\.1:1/],
    [{ api: 'http://127.evil.example' }, /http:\/\/127\.evil\.example cannot reach this machine without a tunnel/],
    [{ port: 4000 }, /--url/],
  ])('says what %j lacks', async (flags, message) => {
    const failure = await find(flags).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toMatch(message);
  });
});

describe('startListening()', () => {
  it('asks whether the address is that of the API when a web page answers there', async () => {
    const page = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html>');
    });
    const { url, close } = await listenOnLoopback(page, 0);
    onTestFinished(() => close());

    const listening = startListening({
      access: { url, credential: 'key_1' },
      place: { kind: 'tunnel', url: 'https://t.example.com/', port: await findFreePort() },
      folderId: 'aaaaaaaaaaaa',
      forwardHandshake: false,
      now: () => at,
      onLeftOver: () => {},
      onReady: () => {},
      onDelivery: () => {},
    });

    await expect(listening).rejects.toThrow(
      `${url} answered with text/html; charset=utf-8 instead of application/json: is it the address of the API?`,
    );
  });
});

describe('endpointGone()', () => {
  it('says that the API is silent, and again only after it has answered', async () => {
    const answers = ['silent', 'silent', 'active', 'silent', 'deleted'];
    const isActive = async () => {
      const answer = answers.shift();
      if (answer === 'silent') throw new Error('no answer');
      return answer === 'active';
    };
    const listening = { webhookId: 'whe_1', url: '', secret: '', isActive, close: async () => {} };
    const said: string[] = [];

    const gone = await endpointGone(listening, new AbortController().signal, (reason) => void said.push(reason), 1);

    expect([gone, said]).toEqual([true, ['no answer', 'no answer']]);
  });
});

describe('the mark of an endpoint', () => {
  const webhook = (description: string) => ({
    id: 'whe_1',
    url: 'https://localhost:9445/',
    status: 'active' as const,
    description,
    secret_prefix: '',
    previous_secret_expires_at: null,
    created_at: '',
    activated_at: null,
    last_delivery_at: null,
    failing_since: null,
  });

  it('finds endpoints of this folder whose port nobody listens on, and no others', async () => {
    const { port: used, close } = await listenOnLoopback(createServer(), 0);
    onTestFinished(() => close());
    const own = 65_000;
    const marks = [
      endpointMark('aaaaaaaaaaaa', own),
      endpointMark('aaaaaaaaaaaa', 1),
      endpointMark('aaaaaaaaaaaa', used),
      endpointMark('bbbbbbbbbbbb', own),
      `${endpointMark('aaaaaaaaaaaa', own)} `,
      'My endpoint',
      '',
    ];

    const found = await findLeftOvers(marks.map(webhook), 'aaaaaaaaaaaa', own);

    expect(found.map(({ description }) => description)).toEqual(marks.slice(0, 2));
  });

  it('keeps the id of a folder, and replaces one that cannot be read', async () => {
    const dir = await temporaryFolder();
    const ids = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'];
    const open = () => openFolderId(join(dir, 'state'), () => ids.shift() ?? '');

    expect([await open(), await open()]).toEqual(['aaaaaaaaaaaa', 'aaaaaaaaaaaa']);
    await writeFile(join(dir, 'state', 'listen.json'), '{"id":');
    expect(await open()).toBe('bbbbbbbbbbbb');
    expect(JSON.parse(await readFile(join(dir, 'state', 'listen.json'), 'utf8'))).toEqual({
      id: 'bbbbbbbbbbbb',
    });
  });
});

describe('createReport()', () => {
  const delivery: ReceivedDelivery = {
    at,
    eventId: 'evt_01KC…',
    eventType: 'run.completed',
    request: 1,
    fault: null,
    isHandshake: false,
    responseStatus: 204,
    forwarded: { status: 204, ms: 3, error: null },
    body: event,
  };
  const startReport = (format: 'text' | 'json' = 'text') => {
    const lines: string[] = [];
    const report = createReport({
      format,
      apiUrl: 'http://127.0.0.1:8787',
      forward: new URL('http://localhost:3000/hook'),
      customerId: 'cus_01KB…',
      emitCommand: 'npm run emit',
      now: () => at,
      out: (text) => lines.push(...text.split('\n')),
      err: () => {},
    });
    return { report, lines };
  };

  it('prints the lines that docs/pages/local-development.md shows', async () => {
    const page = await readFile('docs/pages/local-development.md', 'utf8');
    const [, shown = ''] = /```text\n( {2}API[\s\S]*?)\n```/.exec(page) ?? [];
    const { report, lines } = startReport();
    const time = (text: string) => new Date(`2026-11-20T${text}`).getTime();

    report.ready({ webhookId: 'whe_01KB…', url: 'https://localhost:9445/', secret: 'whsec_…' });
    report.delivery({
      ...delivery,
      at: time('13:00:20'),
      eventId: 'evt_01KB…',
      eventType: 'webhook.test',
      isHandshake: true,
      responseStatus: 200,
      forwarded: null,
    });
    const failed = { status: 500, ms: 41, error: null };
    report.delivery({ ...delivery, at: time('13:00:27'), responseStatus: 500, forwarded: failed });
    report.delivery({ ...delivery, at: time('13:00:29'), request: 2 });

    expect(shown.split('\n').length).toBeGreaterThan(8);
    expect(shown.split('\n').filter((line) => !lines.includes(line))).toEqual([]);
  });

  it('prints one JSON object on each line, with the body as text', () => {
    const { report, lines } = startReport('json');

    report.ready({ webhookId: 'whe_1', url: 'https://localhost:9445/', secret: 'whsec_1' });
    report.delivery(delivery);
    report.stopped('whe_1');

    const objects = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    expect(objects).toMatchObject([
      { kind: 'ready', webhook_id: 'whe_1', secret: 'whsec_1', forward: 'http://localhost:3000/hook' },
      { kind: 'delivery', verified: true, request: 1, response_status: 204, body: event.toString() },
      { kind: 'stopped', webhook_id: 'whe_1' },
    ]);
  });

  it('removes control characters of unverified headers', () => {
    const { report, lines } = startReport();

    report.delivery({
      ...delivery,
      eventId: 'evt_\x1b[2J1',
      eventType: 'x'.repeat(300),
      fault: 'No v1 matches',
      responseStatus: 401,
      forwarded: null,
    });

    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d {2}x{100} {2}evt_\[2J1 {2}not verified {2}401 from listen \(No v1 matches\)$/,
    );
  });
});

describe('openReceiver()', () => {
  it('behind a tunnel, has the address of the tunnel and takes plain HTTP at its own port', async () => {
    const url = 'https://t.example.com/hook?a=1';
    const port = await findFreePort();

    const receiver = await openReceiver({ kind: 'tunnel', url, port }, (_request, response) => response.end('here'));
    onTestFinished(() => receiver.close(0));

    expect([receiver.url, receiver.port]).toEqual([url, port]);
    expect(await post(port, signed())).toMatchObject({ status: 200, body: 'here' });
  });

  it('says what to do when no port is free', async () => {
    const { port, close } = await listenOnLoopback(createServer(), 0);
    onTestFinished(() => close());
    const open = (place: Place) => openReceiver(place, () => {});
    const certificate = await openCertificate(await temporaryFolder(), new Date());

    await expect(open({ kind: 'tunnel', url: 'https://t.example.com/', port })).rejects.toThrow(
      `Port ${port} is in use: choose another with --port`,
    );
    await expect(open({ kind: 'stack', origins: [`https://localhost:${port}`], ...certificate })).rejects.toThrow(
      `All addresses that the stack trusts are in use (https://localhost:${port})`,
    );
  });
});
