import { createHmac, X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { decideReply, switches } from '../../tools/local/parties/receiver/behaviour.ts';
import { type LocalCertificate, openCertificate } from '../../tools/local/parties/receiver/certificates.ts';
import {
  type ReceiverOptions,
  type RunningReceiver,
  startReceiver,
} from '../../tools/local/parties/receiver/start-receiver.ts';
import { temporaryFolder, useFolder } from '../support/vitest/temporary-folder.ts';

const entriesSchema = z.array(
  z.object({
    time: z.iso.datetime({ precision: 3 }),
    path: z.string(),
    verified: z.boolean(),
    reason: z.string().optional(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body: z.string().nullable(),
    body_base64: z.base64(),
  }),
);
const start = new Date('2026-11-20T10:00:00.000Z');

const dir = useFolder();
let certificate: LocalCertificate;
let agent: Agent;

beforeAll(async () => {
  certificate = await openCertificate(dir(), new Date());
  agent = new Agent({
    ca: certificate.cert,
    keepAlive: true,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
});
afterAll(() => agent.destroy());

async function startTestReceiver(options: Partial<ReceiverOptions> = {}): Promise<RunningReceiver> {
  const receiver = await startReceiver({
    tls: certificate,
    port: 0,
    inboxPort: 0,
    now: () => start.getTime(),
    ...options,
  });
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

type Answer = { status: number; location: string | undefined };

function post(
  url: string,
  body: string | Buffer = '{}',
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, location: response.headers.location }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function statuses(url: string, times: number): Promise<number[]> {
  const seen: number[] = [];
  for (let n = 0; n < times; n += 1) seen.push((await post(url)).status);
  return seen;
}

async function readInbox(receiver: RunningReceiver, name: string): Promise<z.infer<typeof entriesSchema>> {
  const answer = await fetch(`${receiver.inboxUrl}?name=${name}`);
  return entriesSchema.parse(await answer.json());
}

describe('startReceiver()', () => {
  it('keeps requests byte for byte and in order, by every name that its certificate has', async () => {
    const receiver = await startTestReceiver();
    const origin = (name: string) => receiver.origin.replace('receiver.localhost', name);

    await post(`${receiver.origin}/orders?status=204`, '{"a":"ü"}', { 'X-Service-Event-Id': 'evt_1' });
    await post(`${origin('localhost')}/other`, 'elsewhere');
    await post(`${origin('127.0.0.1')}/orders`, Buffer.from([0xff, 0x00]));

    expect(await readInbox(receiver, 'orders')).toMatchObject([
      {
        time: '2026-11-20T10:00:00.000Z',
        path: '/orders?status=204',
        headers: { 'x-service-event-id': 'evt_1', host: new URL(receiver.origin).host },
        body: '{"a":"ü"}',
        body_base64: Buffer.from('{"a":"ü"}').toString('base64'),
      },
      { path: '/orders', body: null, body_base64: '/wA=' },
    ]);
  });

  it('answers as the query says, and counts the requests to each URL apart', async () => {
    const { origin } = await startTestReceiver();

    const redirected = await post(`${origin}/a?redirect=https%3A%2F%2Fexample.com%2Fx`);

    expect(redirected).toEqual({ status: 302, location: 'https://example.com/x' });
    expect(await statuses(`${origin}/a`, 2)).toEqual([200, 200]);
    expect(await statuses(`${origin}/a?fail_first=1`, 2)).toEqual([500, 200]);
    expect(await statuses(`${origin}/b?fail_first=1`, 1)).toEqual([500]);
    expect(await statuses(`${origin}/a?delay_ms=1&status=418`, 1)).toEqual([418]);
  });

  it('cuts the connection without an answer, and still lists the request', async () => {
    const receiver = await startTestReceiver();

    const cut = post(`${receiver.origin}/gone?close=1`, 'hello');

    await expect(cut).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await readInbox(receiver, 'gone')).toHaveLength(1);
  });

  it('forgets one name and its count on DELETE, and leaves the others', async () => {
    const receiver = await startTestReceiver();
    await post(`${receiver.origin}/a?fail_first=1`);
    await post(`${receiver.origin}/b`);

    const answer = await fetch(`${receiver.inboxUrl}?name=a`, { method: 'DELETE' });

    expect(answer.status).toBe(204);
    expect(await readInbox(receiver, 'a')).toEqual([]);
    expect(await readInbox(receiver, 'b')).toHaveLength(1);
    expect(await statuses(`${receiver.origin}/a?fail_first=1`, 1)).toEqual([500]);
  });

  it('keeps the newest requests when its limits are reached', async () => {
    const receiver = await startTestReceiver({ limits: { maxRequests: 2, maxBytes: 100_000 } });

    for (const body of ['1', '2', '3']) await post(`${receiver.origin}/a`, body);

    const bodies = (await readInbox(receiver, 'a')).map((entry) => Buffer.from(entry.body_base64, 'base64'));
    expect(bodies.map(String)).toEqual(['2', '3']);
  });

  it('has room for requests again once it was emptied', async () => {
    const receiver = await startTestReceiver({ limits: { maxRequests: 9, maxBytes: 10_000 } });

    await post(`${receiver.origin}/a`, 'x'.repeat(8_000));
    await fetch(receiver.inboxUrl, { method: 'DELETE' });
    await post(`${receiver.origin}/a`, 'x'.repeat(8_000));

    expect(await readInbox(receiver, 'a')).toHaveLength(1);
  });

  it('drops a connection whose body is over 4 MiB', async () => {
    const receiver = await startTestReceiver();

    const sent = post(`${receiver.origin}/a`, 'x'.repeat(4 * 1024 * 1024 + 1));

    await expect(sent).rejects.toThrow();
    expect(await readInbox(receiver, 'a')).toEqual([]);
  });

  it('lists a request of another method, and refuses it', async () => {
    const receiver = await startTestReceiver();

    const answer = await post(`${receiver.origin}/a`, '', {}, 'PUT');

    expect(answer.status).toBe(405);
    expect(await readInbox(receiver, 'a')).toHaveLength(1);
  });

  it('closes at once although a reply is still being delayed', async () => {
    const receiver = await startTestReceiver();
    const pending = post(`${receiver.origin}/a?delay_ms=60000`).catch((error: Error) => error.message);
    await expect.poll(() => readInbox(receiver, 'a')).toHaveLength(1);

    await receiver[Symbol.asyncDispose]();

    expect(await pending).toMatch(/hang up|ECONNRESET/);
    await expect(fetch(receiver.inboxUrl)).rejects.toThrow();
  });
});

describe('the inbox of the receiver', () => {
  const secret = 'whsec_c2VjcmV0';
  const seconds = start.getTime() / 1_000;
  const signature = (body: string, key = secret) =>
    `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;

  /** Gives the receiver a secret, or whatever the text is. */
  const give = (receiver: RunningReceiver, name: string, text: string) =>
    fetch(`${receiver.inboxUrl}/secrets?name=${name}`, { method: 'POST', body: text });

  it('is indented JSON with a final newline', async () => {
    const receiver = await startTestReceiver();
    await post(`${receiver.origin}/a`, '{}');

    const text = await (await fetch(receiver.inboxUrl)).text();

    expect(text).toMatch(/^\[\n {2}\{\n {4}"time": [\s\S]*\}\n\]\n$/);
  });

  it.each([
    ['the secret', `${secret}\n`],
    ['the response to a registration', JSON.stringify({ webhook: {}, secret, test_delivery: {} })],
  ])('verifies signatures with %s, also of earlier requests', async (_what, text) => {
    const receiver = await startTestReceiver();
    await post(`${receiver.origin}/a?x=1`, '{"a":1}', { 'X-Service-Signature': signature('{"a":1}') });

    const answer = await give(receiver, 'a', text);

    expect([answer.status, await answer.json()]).toEqual([
      200,
      { message: 'Deliveries to /a are verified with this secret' },
    ]);
    expect(await readInbox(receiver, 'a')).toMatchObject([{ verified: true }]);
  });

  it('verifies with every secret of a path, as during a rotation, and with none of another path', async () => {
    const receiver = await startTestReceiver();
    await give(receiver, 'a', 'whsec_first');
    await give(receiver, 'a', 'whsec_second');
    await give(receiver, 'b', 'whsec_other');

    for (const key of ['whsec_first', 'whsec_second', 'whsec_other']) {
      await post(`${receiver.origin}/a`, '{}', { 'X-Acme-Signature': signature('{}', key) });
    }

    expect((await readInbox(receiver, 'a')).map(({ verified }) => verified)).toEqual([true, true, false]);
  });

  // test/local/listen.test.ts has every reason.
  it('says why a signature does not verify', async () => {
    const receiver = await startTestReceiver();
    await give(receiver, 'a', secret);

    await post(`${receiver.origin}/a`);

    const reason = 'The request has no X-Service-Signature header';
    expect(await readInbox(receiver, 'a')).toMatchObject([{ verified: false, reason }]);
  });

  it('says how to give it a secret that it does not have', async () => {
    const receiver = await startTestReceiver();

    await post(`${receiver.origin}/a%20b`, '{}', { 'X-Service-Signature': signature('{}') });

    const [entry] = await readInbox(receiver, 'a%20b');
    expect(entry?.reason).toBe(
      'The receiver has no secret for this path: POST it, or the response of the registration, to ' +
        `${receiver.inboxUrl}/secrets?name=a%20b`,
    );
  });

  it.each([
    ['{"code":"webhook_limit_exceeded"}', '; got the error webhook_limit_exceeded'],
    ['hello', ''],
    ['', ''],
  ])('refuses %j as a secret, with the error that it is', async (text, end) => {
    const receiver = await startTestReceiver();

    const answer = await give(receiver, 'a', text);

    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        message: `Expected a signing secret (whsec_…), or the response to a registration or a rotation, which contains one${end}`,
      },
    ]);
  });
});

describe('the switches of the receiver', () => {
  it('each has a row with a valid example in the page about the local stack', async () => {
    const page = await readFile(new URL('../../docs/local-stack.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `\?([^`]+)` \|/gm)].map(([, query = '']) => query);

    const shown = new Set(rows.flatMap((query) => [...new URLSearchParams(query).keys()]));
    expect([...shown].toSorted()).toEqual([...switches].toSorted());
    for (const query of rows) {
      const reply = decideReply(new URLSearchParams(query), { headers: {}, body: '' }, () => 0);
      expect([query, reply.response?.status]).not.toEqual([query, 400]);
    }
  });
});

describe('decideReply()', () => {
  const handshake = { 'x-acme-event-type': 'webhook.test' };
  const decide = (query: string, earlier = 0, request = { headers: {}, body: '' }) =>
    decideReply(new URLSearchParams(query), request, () => earlier);

  it.each<[string, number, number | null]>([
    ['', 0, 200],
    ['status=503', 0, 503],
    ['status=101', 0, 400],
    ['redirect=https%3A%2F%2Fexample.com%2Fx&status=307', 0, 307],
    ['team=blue', 0, 200],
    ['fail_first=2&fail_status=429', 1, 429],
    ['fail_first=2&fail_status=429', 2, 200],
    ['fail_first=1&status=201', 0, 500],
    ['fail_first=1&status=201', 1, 201],
    ['close=1', 5, null],
    ['close=1&fail_first=1', 0, null],
    ['close=1&fail_first=1', 1, 200],
  ])('answers the query "%s" after %i POSTs with %s', (query, earlier, status) => {
    expect(decide(query, earlier).response?.status ?? null).toBe(status);
  });

  it.each([
    ['', 200],
    ['&handshake=410', 410],
  ])('answers the handshake at once and uncounted, with "%s" %i', (extra, status) => {
    const query = `status=500&fail_first=1&delay_ms=60000&close=1${extra}`;
    const count = vi.fn(() => 0);

    const request = { headers: handshake, body: '{"type":"webhook.test","webhook_id":"whe_1"}' };
    const reply = decideReply(new URLSearchParams(query), request, count);

    expect(reply).toMatchObject({ delayMs: 0, response: { status } });
    expect(count).not.toHaveBeenCalled();
  });

  it('answers an example as it answers an event', () => {
    const example = {
      headers: handshake,
      body: '{"type":"webhook.test","example":{"type":"run.completed"}}',
    };

    expect(decide('status=500&handshake=410', 0, example).response?.status).toBe(500);
  });

  it('waits for the delay of the query', () => {
    expect(decide('delay_ms=80').delayMs).toBe(80);
  });

  it.each([
    ['status=abc', 'The switch `status` must be a whole number from 200 to 599\n'],
    [
      'delay_ms=-1&close=maybe',
      'The switch `delay_ms` must be a whole number from 0 to 600000\nThe switch `close` must be 1 or 0\n',
    ],
    ['fail_frist=2', 'The switch `fail_frist` does not exist: did you mean `fail_first`?\n'],
  ])('answers the query %s with the reason', (query, text) => {
    expect(decide(query).response).toEqual({ status: 400, text });
  });
});

describe('openCertificate()', () => {
  it('is valid for localhost and loopback of both families, and for nothing else', () => {
    const { subjectAltName } = new X509Certificate(certificate.cert);

    // Clients accept no wildcard directly below a top-level domain, so `*.localhost` would be of no use.
    expect(subjectAltName?.split(', ')).toEqual([
      'DNS:receiver.localhost',
      'DNS:localhost',
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
    ]);
  });

  it('reuses the certificate while it is valid, and renews it before it ends', async () => {
    const other = await temporaryFolder();
    const first = await openCertificate(other, start);
    const later = await openCertificate(other, new Date(start.getTime() + 364.5 * 86_400_000));

    expect(await openCertificate(dir(), new Date())).toEqual(certificate);
    expect(later.cert).not.toBe(first.cert);
  });

  it('gives two stacks that start at once the same certificate', async () => {
    const shared = await temporaryFolder();

    const both = await Promise.all([1, 2, 3].map(() => openCertificate(shared, start)));

    expect(new Set(both.map(({ cert }) => cert)).size).toBe(1);
    expect(await readFile(join(shared, 'ca.pem'), 'utf8')).toBe(both[0]?.cert);
  });

  it('replaces a torn file', async () => {
    const torn = await temporaryFolder();
    await writeFile(join(torn, 'certificate.json'), '{"cert":');

    expect((await openCertificate(torn, start)).cert).toContain('BEGIN CERTIFICATE');
  });

  it('keeps the private key from other users of the machine', async () => {
    const { mode } = await stat(join(dir(), 'certificate.json'));

    expect(mode & 0o777).toBe(0o600);
    expect(await readFile(certificate.caFile, 'utf8')).not.toContain('PRIVATE KEY');
  });
});
