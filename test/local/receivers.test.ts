import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fileOnPage } from '../support/docs/page-blocks.ts';
import {
  createReceiverFolder,
  exampleReceivers,
  type PageReceiver,
  pageReceivers,
  type RunningPageReceiver,
  removeFolder,
  startPageReceiver,
  whySkipped,
} from '../support/docs/page-receivers.ts';
import { inChunks, rawPost } from '../support/docs/raw-post.ts';
import texts from '../vectors/intake-texts.json' with { type: 'json' };
import signatures from '../vectors/signatures.json' with { type: 'json' };

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const otherSecret = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const eventId = 'evt_01KB3NQ2M7R4S6T8V0W2X4Y6Z8';

type Headers = Readonly<Record<string, string>>;
type Request = readonly [body: string, headers: () => Headers];

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const eventBody = (type = 'run.completed'): string => JSON.stringify({ id: eventId, type });

/** Both signatures of a delivery, written from their descriptions and not with the code of the service. */
function signed(body: string, secrets: readonly string[], at = nowSeconds()): Headers {
  const service = secrets.map((key) => createHmac('sha256', key).update(`${at}.${body}`).digest('hex'));
  const standard = secrets.map((key) =>
    createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
      .update(`${eventId}.${at}.${body}`)
      .digest('base64'),
  );
  return {
    'X-Service-Signature': [`t=${at}`, ...service.map((value) => `v1=${value}`)].join(','),
    'webhook-id': eventId,
    'webhook-timestamp': String(at),
    'webhook-signature': standard.map((value) => `v1,${value}`).join(' '),
  };
}

async function post(
  { url }: RunningPageReceiver,
  body: string | Buffer,
  headers: Headers = {},
  type = 'run.completed',
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Service-Event-Type': type, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  });
  return response.status;
}

/** Headers of which each receiver must refuse each, by the format that it reads. */
function garbage({ format, readsTime }: Pick<PageReceiver, 'format' | 'readsTime'>, body: string): readonly Headers[] {
  const headers = signed(body, [secret]);
  if (format === 'Standard Webhooks') {
    const value = headers['webhook-signature'] ?? '';
    const signatures = ['', 'garbage', 'v1', 'v1,', 'v1,%%%', ',', value.replace('v1', 'v2'), value.slice(3)];
    return [
      ...signatures.map((given) => ({ ...headers, 'webhook-signature': given })),
      ...['', 'now', '1e9', '99999999999999999999'].map((time) => ({
        ...headers,
        'webhook-timestamp': time,
      })),
      { ...headers, 'webhook-id': '' },
      { ...headers, 'webhook-id': 'evt_other' },
    ];
  }
  const [time = '', value = ''] = (headers['X-Service-Signature'] ?? '').split(',');
  const texts = [
    '',
    'garbage',
    ',,,===,,,',
    time,
    value,
    `${time},v1=`,
    `${time},v1`,
    `${time},v1=zz`,
    `${time},v1=é`,
    `${time},${value.slice(0, -1)}`,
    `${time},v0=${value.slice(3)}`,
    ...(readsTime === 'as stripe does' ? [] : [`${time}.0,${value}`]),
    `t=-1,${value}`,
    `t=now,${value}`,
    `t=,${value}`,
    `t,${value}`,
    `t=0x${nowSeconds().toString(16)},${value}`,
    `t=99999999999999999999,${value}`,
  ];
  return texts.map((given) => ({ 'X-Service-Signature': given }));
}

const event = Buffer.from(JSON.stringify({ id: eventId, type: 'run.completed', kind: 'ü'.repeat(500) }));
const chunked = 'Transfer-Encoding: chunked';

/** What a receiver must take: bodies in chunks, as proxies and tunnels send them. */
const chunkedBodies: readonly (readonly [form: string, header: string, body: Buffer])[] = [
  ['one chunk', chunked, inChunks(event, event.length)],
  ['many chunks', chunked, inChunks(event, 7)],
  [
    'sizes in other spellings',
    'transfer-encoding: Chunked',
    inChunks(event, 60, { sizeText: (size) => size.toString(16).toUpperCase().padStart(4, '0') }),
  ],
  ['extensions', chunked, inChunks(event, 100, { extension: ';name=value;quoted="a;b"' })],
  ['trailers', chunked, inChunks(event, 100, { trailers: 'X-Checksum: 1\r\nX-Other: 2\r\n' })],
];

const bothLengths: readonly (readonly string[])[] = [
  [`Content-Length: ${event.length}`, chunked],
  [chunked, 'Content-Length: 5'],
];

/** What a receiver that reads chunks by itself must refuse. */
const faultyRequests: readonly (readonly [headers: readonly string[], body: Buffer])[] = [
  ...bothLengths.map((headers) => [headers, inChunks(event, 100)] as const),
  [[`Content-Length: ${event.length}`, 'Content-Length: 5'], event],
  [['Content-Length: +5'], event],
  [[chunked, chunked], inChunks(event, 100)],
  [['Transfer-Encoding: gzip, chunked'], inChunks(event, 100)],
  [['Transfer-Encoding: identity'], inChunks(event, 100)],
  ...[
    '',
    'zz\r\nab\r\n0\r\n\r\n',
    '-2\r\nab\r\n0\r\n\r\n',
    '+2\r\nab\r\n0\r\n\r\n',
    '0x2\r\nab\r\n0\r\n\r\n',
    '0_2\r\nab\r\n0\r\n\r\n',
    ' 2\r\nab\r\n0\r\n\r\n',
    '\r\nab\r\n0\r\n\r\n',
    '2\r\nabcd\r\n0\r\n\r\n',
    '2\nab\n0\n\n',
    'ffffffffffffffff\r\nab',
    `2;${'a'.repeat(100_000)}\r\nab\r\n0\r\n\r\n`,
    '20\r\nab',
    '2\r\nab\r\n',
    '2\r\nab\r\n0\r\n',
    '2\r\nab\r\n0\r\nA: b\r\n',
    `2\r\nab\r\n0\r\n${'A: b\r\n'.repeat(10_000)}\r\n`,
  ].map((text) => [[chunked], Buffer.from(text)] as const),
];

const large = Buffer.alloc(1024 * 1024 + 1, 'a');
const nearlyLarge = inChunks(large.subarray(0, 999_000), 1_000);

/** The last is what a receiver that reads chunks by itself refuses already: it does not wait for the rest. */
const tooLarge: readonly (readonly [form: string, header: string, body: Buffer, announced: Buffer])[] = [
  ['a length', `Content-Length: ${large.length}`, large, Buffer.alloc(0)],
  ['one chunk', chunked, inChunks(large, large.length), Buffer.from('100001\r\n')],
  [
    'many chunks',
    chunked,
    inChunks(large, 1_000),
    Buffer.concat([nearlyLarge.subarray(0, nearlyLarge.lastIndexOf('0')), Buffer.from('fffff\r\n')]),
  ],
];

/** Receivers of the page answer only; examples also handle each event once, in a format of their own. */
const receivers = [
  ...pageReceivers.map((receiver) => ({ ...receiver, isExample: false })),
  ...exampleReceivers.map((receiver) => ({ ...receiver, isExample: true })),
];

describe.each(receivers)('the receiver $name', (receiver) => {
  let dir: string;
  let running: RunningPageReceiver;
  const reason = whySkipped(receiver);
  beforeAll(async () => {
    if (reason !== undefined) return;
    dir = await createReceiverFolder(receiver);
    running = await startPageReceiver(receiver, dir, secret);
  });
  beforeEach(({ skip }) => {
    if (reason !== undefined) skip(reason);
  });
  afterAll(async () => {
    if (reason !== undefined) return;
    await running.stop();
    await removeFolder(dir);
  });

  async function startWith(other: string): Promise<RunningPageReceiver> {
    const started = await startPageReceiver(receiver, dir, other);
    onTestFinished(() => started.stop());
    return started;
  }

  it('accepts what we sign, and refuses everything else with 401', async () => {
    const body = eventBody();
    const odd = `{ "id": "${eventId}", "type": "run.completed",\r\n\t"kind": "Überprüfung 🎬 \\u0000 1e400" }`;
    const kind = texts.machine_texts.accepted.map(({ text }) => text).join('');
    const every = eventBody().replace('}', `,"kind":"${kind}"}`);
    const sent = (seconds: number) => () => signed(body, [secret], nowSeconds() + seconds);
    const accepted: readonly Request[] = [
      [body, () => signed(body, [secret])],
      [body, () => signed(body, [secret, otherSecret])],
      [body, () => signed(body, [otherSecret, secret])],
      [odd, () => signed(odd, [secret])],
      [every, () => signed(every, [secret])],
      [body, sent(-290)],
      [body, sent(290)],
    ];
    const refused: readonly Request[] = [
      [`${body} `, () => signed(body, [secret])],
      [body.replace('completed', 'Completed'), () => signed(body, [secret])],
      [body, () => signed(body, [otherSecret])],
      [body, sent(-310)],
      ...(receiver.readsTime === 'as stripe does' ? [] : [[body, sent(310)] as const]),
      [body, () => ({})],
      ...garbage(receiver, body).map((headers) => [body, () => headers] as const),
    ];
    // Each request is signed when it is sent: on a busy machine, one that was signed before could be too old by then.
    const unlike = async (wanted: number, requests: readonly Request[]) => {
      const answers: (readonly [number, string, Headers])[] = [];
      for (const [text, headersOf] of requests) {
        const headers = headersOf();
        answers.push([await post(running, text, headers), text, headers]);
      }
      return answers.filter(([status]) => status !== wanted);
    };

    expect(await unlike(204, accepted)).toEqual([]);
    expect(await unlike(401, refused)).toEqual([]);
    await expect.poll(() => running.verified().length).toBe(receiver.isExample ? 1 : accepted.length);
    expect(running.verified().filter((line) => !line.includes(eventId))).toEqual([]);
  });

  it('answers a handshake that it cannot verify with 204, and handles one that it can', async () => {
    const body = JSON.stringify({ id: 'evt_handshake', type: 'webhook.test' });
    const before = running.verified().length;

    expect(await post(running, body, signed(body, [otherSecret]), 'webhook.test')).toBe(204);
    expect(await post(running, body, {}, 'webhook.test')).toBe(204);
    expect(await post(running, body, signed(body, [secret]), 'webhook.test')).toBe(204);

    await expect.poll(() => running.verified().slice(before)).toEqual([expect.stringContaining('evt_handshake')]);
  });

  it('without a secret, answers the handshake and refuses everything else, even an empty key', async () => {
    const unregistered = await startWith('');
    const body = eventBody();

    const statuses = [
      await post(unregistered, eventBody('webhook.test'), signed(body, [secret]), 'webhook.test'),
      await post(unregistered, body, signed(body, [secret])),
      await post(unregistered, body, signed(body, [''])),
      await post(unregistered, body),
    ];

    expect(statuses).toEqual([204, 401, 401, 401]);
    expect(unregistered.verified()).toEqual([]);
  });

  const sendRaw = async (headers: readonly string[], body: Buffer): Promise<number> => {
    const signature = Object.entries(signed(event.toString(), [secret]));
    const lines = signature.map(([name, value]) => `${name}: ${value}`);
    return await rawPost(running.url, [...lines, 'Content-Type: application/json', ...headers], body);
  };
  const { inFront = {} } = receiver;

  it.each(chunkedBodies)('verifies a body in chunks (%s)', async (form, header, body) => {
    const allowed = [204, ...(inFront[form] ?? [])];

    expect(await sendRaw([header], body)).toBeOneOf(allowed);
  });

  it('refuses a request with both lengths, unless the server lets the chunks count', async () => {
    const allowed = [400, ...(inFront['both lengths'] ?? [])];

    for (const headers of bothLengths) expect(await sendRaw(headers, inChunks(event, 100))).toBeOneOf(allowed);
  });

  it('accepts no malformed chunks', async () => {
    const status = await sendRaw([chunked], Buffer.from('zz\r\nab\r\n0\r\n\r\n'));

    expect([2, 3]).not.toContain(Math.floor(status / 100));
  });

  it.runIf(receiver.readsChunks)('refuses requests whose body has no certain end with 400', async () => {
    for (const [headers, body] of faultyRequests) {
      const what = `${headers} ${body.toString('latin1', 0, 40)}`;
      await expect.poll(() => sendRaw(headers, body), { message: what }).toBe(400);
    }
  });

  it.each(tooLarge)('refuses more than 1 MiB with 413 (%s)', async (_, header, body, announced) => {
    // What is still sent to a closed connection makes some systems forget the response that they have received.
    const send = () => sendRaw([header], receiver.readsChunks ? announced : body);

    await expect.poll(send).toBe(413);
  });

  if (!receiver.isExample) return;
  describe('as an example', () => {
    it('verifies the body of every signature vector', async () => {
      for (const { name, body } of signatures.vectors) {
        const status = body.includes('"type"') ? 204 : 400;
        expect([name, await post(running, body, signed(body, [secret]))]).toEqual([name, status]);
        expect([name, await post(running, `${body} `, signed(body, [secret]))]).toEqual([name, 401]);
      }
    });

    it('handles an event once, however often and by however many connections it arrives', async () => {
      const before = running.verified().length;
      const bodyOf = (id: string) =>
        JSON.stringify({ id, type: 'run.completed', run_id: 'run_1', status: 'completed' });
      const send = (id: string) => post(running, bodyOf(id), signed(bodyOf(id), [otherSecret, secret]));

      const sent = Array.from({ length: 10 }, () => send('evt_1'));
      expect(await Promise.all(sent)).toEqual(sent.map(() => 204));
      await send('evt_2');

      const lines = ['evt_1', 'evt_2'].map((id) => `Run run_1 ended as completed (${id})`);
      await expect.poll(() => running.verified().slice(before)).toEqual(lines);
    });
  });
});

describe('verify.sh of docs/pages/receive-and-verify.md', () => {
  const openssl = 'openssl';
  const hasOpenssl = spawnSync(openssl, ['version']).status === 0;
  const code = fileOnPage('receive-and-verify.md', 'verify.sh');
  const verify = (header: string, body: string, key = secret): number | null =>
    spawnSync('sh', ['-c', code, 'verify.sh', header], {
      input: body,
      env: { ...process.env, WEBHOOK_SECRET: key },
    }).status;

  it('succeeds for what we sign, and fails for everything else', ({ skip }) => {
    if (!hasOpenssl) skip('openssl is not installed here');
    const body = eventBody();
    const header = (secrets: readonly string[], at = nowSeconds()): string =>
      signed(body, secrets, at)['X-Service-Signature'] ?? '';

    expect([header([secret]), header([otherSecret, secret])].map((given) => verify(given, body))).toEqual([0, 0]);
    expect([
      verify(header([secret]), `${body}\n`),
      verify(header([otherSecret]), body),
      verify(header([secret], nowSeconds() - 310), body),
      verify(header([secret], nowSeconds() + 330), body),
      verify(header(['']), body, ''),
      ...garbage({ format: 'X-Service-Signature' }, body).map((headers) =>
        verify(headers['X-Service-Signature'] ?? '', body),
      ),
    ]).not.toContain(0);
  });
});
