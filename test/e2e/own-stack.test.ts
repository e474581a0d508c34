import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { makeApiKey, makePortalCredential } from '#shared/auth/checked-token.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { makeId } from '#shared/domain/ids.ts';
import { createServiceClient } from '../../tools/local/stack/service-client.ts';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { scanTable } from '../support/releases/scan-table.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { runAdmin, withId, withKey, withLink, withToken } from '../support/stack/operate.ts';
import {
  credential,
  type Exception,
  isExcepted,
  marker,
  type Secret,
  type Surface,
  search,
  surface,
  token,
} from '../support/stack/secret-search.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import {
  allEnded,
  createWorkplace,
  processTree,
  type StackProgram,
  startStackProgram,
  type Workplace,
} from '../support/stack/stack-process.ts';
import { registeredAnswer, rotatedAnswer } from '../support/values/answers.ts';

/** The start of the whole stack, and all that is done on it, on a machine that may be busy. Milliseconds. */
const timeLimit = 900_000;

let workplace: Workplace;
let stack: StackProgram;

beforeAll(async () => {
  workplace = await createWorkplace();
  // It prints all that the functions write, as that may hold a secret.
  const flags = ['--port', '0', '--time-scale', '3000', '--data', 'data', '--verbose', '--json-logs'];
  stack = await startStackProgram(workplace, flags);
}, timeLimit);

afterAll(async () => {
  stack?.program.kill();
  await stack?.program.exited();
  await workplace.remove();
});

describe('npm start', { timeout: timeLimit }, () => {
  it('prints one notice when three deliveries in a row fail, and one when the endpoint recovers', async () => {
    const customer = firstCustomer(stack.info);
    const { webhook } = await customer.register(`${stack.info.receiver.origin}/told?fail_first=9`);
    for (const [type, events] of [
      ['endpoint.failing', 3],
      ['endpoint.recovered', 1],
    ] as const) {
      for (let sent = 0; sent < events; sent += 1) await customer.settleRun();
      await eventually(async () => expect(noticesAbout(webhook.id).at(-1)?.type).toBe(type));
    }

    const notices = noticesAbout(webhook.id);
    expect(notices.map((notice) => notice?.type)).toEqual(['endpoint.failing', 'endpoint.recovered']);
    expect(new Set(notices.map((notice) => notice?.id)).size).toBe(2);
  });
});

/** Id and type of the notices about an endpoint that the stack printed. */
function noticesAbout(webhookId: string) {
  const lines = stack.program.output.split('\n').filter((line) => line.startsWith('{"source":"notices"'));
  const found = lines.filter((line) => line.includes(webhookId));
  return found.map((line) => /"id":"(?<id>\w+)","type":"(?<type>[\w.]+)"/.exec(line)?.groups);
}

function firstCustomer(info: StackFile): StackCustomer {
  const [customer] = info.customers;
  if (customer === undefined) throw new Error('The stack has no customer');
  return new StackCustomer(info, customer);
}

/** Which secret may be where, and why. What is not named here is a leak; what is named and not found is out of date. */
const exceptions: readonly Exception[] = [
  [
    /^seeded key$/,
    /^(what the stack says of itself|file \.local\/stack\.json|file data\/customers\.json)$/,
    'the local stack gives the developer keys to try it with, and keeps them with its data',
  ],
  [/^(issued|revoked) key$/, /^admin keys issue$/, 'shown once, to its operator'],
  [
    /^(issued|revoked) link$/,
    /^admin portal-link create$/,
    'shown once, to its operator, who hands it to the customer',
  ],
  [/token$/, /^admin tokens mint$/, 'the local issuer answers with what it was asked for'],
  [/^signing secret of /, /^answer POST \/v1\/webhooks 201$/, 'shown once, to its customer'],
  [/^rotated signing secret$/, /^answer POST \/v1\/webhooks\/:id\/rotate 200$/, 'shown once, to its customer'],
  [
    /^(query|description) of an endpoint$/,
    /^(answer (GET|POST) \/v1\/webhooks\S* 20\d|item CUS (WEBHOOKS|DELETED)|file data\/dynamodb\/.*)$/,
    'part of the record of the endpoint',
  ],
  [
    /^kind of a Run$/,
    /^(answer GET \/v1\/(runs\S*|webhooks\/:id\/deliveries\/:id) 200|item (RUN RUN|DLV .*)|file data\/(dynamodb|sqs)\/.*)$/,
    'part of the Run and of the event that is stored to be posted, and of the message about it',
  ],
  [
    /^body of an event$/,
    /^(answer GET \/v1\/webhooks\/:id\/deliveries\/:id 200|item DLV .*|file data\/dynamodb\/.*)$/,
    'a delivery is stored with the bytes that every attempt posts, and shows them to its customer',
  ],
  [/^broken item$/, /^file data\/dynamodb\/.*$/, 'the test stored it there itself'],
  [
    /^malformed message$/,
    /^(body in the (intake|delivery) dead letters|file data\/sqs\/.*)$/,
    'the dead-letter queue holds the message itself, for the operator who repairs it',
  ],
  [
    /^cursor secret$/,
    /^(item CURSOR_SECRET CURSOR_SECRET|file data\/dynamodb\/.*)$/,
    'it is kept there for all processes; it seals positions, not access',
  ],
];

const sentinel = () => randomBytes(18).toString('hex');

const secrets: Secret[] = [];
const surfaces: Surface[] = [];

function keep(secret: Secret): string {
  secrets.push(secret);
  return secret.value;
}

/** A command of the operator's; its output is looked at. */
async function admin(...args: readonly string[]): Promise<unknown> {
  const { code, output } = await runAdmin(...args, '--json', '--stack-file', workplace.stackFile);
  surfaces.push(surface(`admin ${args[0]} ${args[1]}`, output));
  expect(code, output).toBe(0);
  return JSON.parse(output);
}

type Asked = { readonly status: number; readonly body: unknown };

/** A request; its answer is looked at, with its headers. */
async function ask(
  method: string,
  path: string,
  authorization: string | undefined,
  body?: string,
  type = 'application/json',
): Promise<Asked> {
  const response = await fetch(`${stack.info.api_url}${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { Authorization: authorization }),
      ...(body === undefined ? {} : { 'Content-Type': type }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const template = (path.split('?')[0] ?? '').replace(/(?:whe|whd|run)_\w+/g, ':id');
  const head = JSON.stringify([...response.headers]);
  surfaces.push(surface(`answer ${method} ${template} ${response.status}`, `${head}\n${text}`));
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function callSqs(action: string, input: object): Promise<unknown> {
  const { call, close } = createServiceClient('sqs', stack.info.endpoints.sqs);
  return await call(action, input).finally(close);
}

/** Everybody who may act, and some who may not. */
async function issueCredentials() {
  for (const { api_key } of stack.info.customers) keep(credential('seeded key', api_key));
  const { id: customerId } = withId.parse(await admin('customers', 'create', '--name', 'Customer'));
  const of = ['--customer', customerId] as const;
  const { api_key } = withKey.parse(await admin('keys', 'issue', ...of));
  const revoked = withKey.parse(await admin('keys', 'issue', ...of));
  await admin('keys', 'revoke', revoked.id, ...of, '--yes');
  await admin('keys', 'list', ...of);
  const link = await makeLink('issued link', of);
  const revokedLink = await makeLink('revoked link', of);
  await admin('portal-link', 'revoke', revokedLink.id, ...of, '--yes');
  await admin('portal-link', 'list', ...of);
  await admin('customers', 'list');
  const connection = withId.parse(await admin('connections', 'create', '--user', 'u', '--organization', customerId));
  const on = ['--connection', connection.id] as const;
  const mint = async (name: string, ...more: readonly string[]) =>
    keep(token(name, withToken.parse(await admin('tokens', 'mint', ...on, ...more)).access_token));
  return {
    customerId,
    key: `Bearer ${keep(credential('issued key', api_key))}`,
    token: `Bearer ${await mint('access token')}`,
    link: `Bearer ${link.credential}`,
    refused: [
      `Bearer ${revokedLink.credential}`,
      `Bearer ${keep(credential('revoked key', revoked.api_key))}`,
      `Bearer ${await mint('expired token', '--expired')}`,
      `Bearer ${await mint('other token', '--audience', 'https://elsewhere.example.com')}`,
      `Bearer ${keep(credential('unknown key', makeApiKey(randomBytes(32))))}`,
      `Bearer ${keep(credential('unknown link', makePortalCredential(randomBytes(32))))}`,
      `Bearer ${keep(marker('malformed link', `ptl_${sentinel()}`))}`,
      `Bearer ${keep(marker('malformed key', `key_${sentinel()}`))}`,
      `Bearer ${keep(marker('malformed token', `a.${sentinel()}.c`))}`,
      `Basic ${keep(marker('password', Buffer.from(`user:${sentinel()}`).toString('base64')))}`,
    ],
  };
}

async function makeLink(name: string, of: readonly string[]) {
  const { id, url } = withLink.parse(await admin('portal-link', 'create', ...of));
  return { id, credential: keep(credential(name, url.replace(/^.*#token=/, ''))) };
}

type Credentials = Awaited<ReturnType<typeof issueCredentials>>;

/** Requests that are refused, each with something that must not be repeated. */
async function askForTrouble({ key, refused }: Credentials): Promise<void> {
  for (const each of refused) {
    expect(await ask('GET', '/v1/webhooks', each)).toMatchObject({ status: 401 });
  }
  const lost = (name: string) => keep(marker(name, sentinel()));
  const bodies = [
    `{"url":"https://user:${lost('password of a refused URL')}@hooks.example.com/"}`,
    `{"url":"https://127.0.0.1/?token=${lost('query of a refused URL')}"}`,
    `{"url":"https://${lost('host of a refused URL')}.internal/"}`,
    `{"url":{"${lost('member of a refused body')}":1},"description":5}`,
    `{"url": ${lost('body that is no JSON')}}`,
    `{"__proto__":"${lost('body that reaches for the prototype')}"}`,
  ];
  for (const body of bodies) {
    expect(await ask('POST', '/v1/webhooks', key, body)).toMatchObject({ status: 400 });
  }
  const text = lost('body of another type');
  expect(await ask('POST', '/v1/webhooks', key, text, 'text/plain')).toMatchObject({ status: 400 });
  const cursor = lost('cursor that is none');
  expect(await ask('GET', `/v1/runs?cursor=${cursor}`, key)).toMatchObject({ status: 400 });
  const known = `/v1/webhooks?api_key=${lost('unknown parameter')}`;
  expect(await ask('GET', known, key)).toMatchObject({ status: 400 });
  const nameless = `/v1/webhooks?${lost('name of a parameter')}=1`;
  expect(await ask('GET', nameless, key)).toMatchObject({ status: 400 });
  expect(await ask('GET', `/v1/${lost('unknown path')}`, key)).toMatchObject({ status: 404 });
}

async function register({ key }: Credentials, name: string, query: string) {
  const { origin } = stack.info.receiver;
  const url = `${origin}/${name}?${query}&token=${keep(marker('query of an endpoint', sentinel()))}`;
  const description = keep(marker('description of an endpoint', sentinel()));
  const answer = await ask('POST', '/v1/webhooks', key, JSON.stringify({ url, description }));
  const { webhook, secret } = registeredAnswer.parse(answer.body);
  keep(credential(`signing secret of ${name}`, secret));
  return webhook.id;
}

const list = z.object({
  items: z.array(z.looseObject({ id: z.string() })),
  next_cursor: z.string().nullable(),
});

/** Endpoints that fare differently, events for them, and all that a customer can do about them. */
async function liveThroughIt(credentials: Credentials): Promise<void> {
  const { customerId, key } = credentials;
  await register(credentials, 'unwilling', 'handshake=500');
  const ids = [
    await register(credentials, 'good', 'status=200'),
    await register(credentials, 'failing', 'status=500'),
    await register(credentials, 'recovering', 'fail_first=1'),
    await register(credentials, 'cutting', 'close=1'),
  ];
  const good = ids[0] ?? '';
  await settleRun(customerId);
  await deliveriesEnded(credentials, ids, 2);
  const rotated = rotatedAnswer.parse((await ask('POST', `/v1/webhooks/${good}/rotate`, key)).body);
  keep(credential('rotated signing secret', rotated.secret));
  expect(await ask('POST', `/v1/webhooks/${good}/rotate`, key)).toMatchObject({ status: 409 });
  const first = await ask('GET', `/v1/webhooks/${good}/deliveries?limit=1`, key);
  const { items, next_cursor } = list.parse(first.body);
  surfaces.push(surface('cursor', Buffer.from(next_cursor ?? '', 'base64url')));
  const next = `/v1/webhooks/${good}/deliveries?limit=1&cursor=${next_cursor}`;
  expect(await ask('GET', next, key)).toMatchObject({ status: 200 });
  const delivery = `/v1/webhooks/${good}/deliveries/${items[0]?.id}`;
  expect(await ask('POST', `${delivery}/replay`, key)).toMatchObject({ status: 202 });
  await settleRun(customerId);
  await deliveriesEnded(credentials, ids, 3);
  await ask('GET', delivery, key);
  for (const path of ['/v1/credential', '/v1/deliveries?status=failed']) {
    expect(await ask('GET', path, credentials.link)).toMatchObject({ status: 200 });
  }
  await ask('GET', '/v1/runs?limit=1', key);
  expect(await ask('DELETE', `/v1/webhooks/${good}`, key)).toMatchObject({ status: 204 });
  await ask('GET', `/v1/webhooks/${good}`, key);
}

async function settleRun(customer: string): Promise<void> {
  const kind = keep(marker('kind of a Run', `kind_${sentinel()}`));
  await new StackCustomer(stack.info, { id: customer, api_key: '' }).emit('run.settled', { customer, kind });
}

/** Waits for a number of deliveries of each endpoint. Uses the token, which has its own request limit. */
async function deliveriesEnded({ token: bearer }: Credentials, ids: readonly string[], count: number) {
  const look = async () => {
    for (const id of ids) {
      const { items } = list.parse((await ask('GET', `/v1/webhooks/${id}/deliveries`, bearer)).body);
      expect(items.length).toBeGreaterThanOrEqual(count);
      expect(items.map(({ status }) => status)).not.toContain('pending');
    }
  };
  await eventually(look, { interval: 1_500 });
}

/** What nobody can process, on both queues, and what the table cannot read. */
async function breakThings(): Promise<void> {
  const { intake_queue_url, delivery_queue_url, customers, table_name, endpoints } = stack.info;
  const word = () => keep(marker('malformed message', sentinel()));
  const send = (QueueUrl: string, MessageBody: string) => callSqs('SendMessage', { QueueUrl, MessageBody });
  await send(intake_queue_url, word());
  await send(intake_queue_url, JSON.stringify({ type: word(), [word()]: word() }));
  await send(intake_queue_url, JSON.stringify({ type: 'run.saved', customer_id: word(), run: word() }));
  await send(delivery_queue_url, word());
  await send(delivery_queue_url, JSON.stringify({ delivery_id: 5, attempt: word() }));
  const second = customers[1];
  const id = makeId('webhook', Date.now(), randomBytes(10));
  const { pk, sk } = liveEndpointKey(second?.id ?? '', id);
  const { call, close } = createServiceClient('dynamodb', endpoints.dynamodb);
  const Item = { pk: { S: pk }, sk: { S: sk }, secret: { S: keep(marker('broken item', sentinel())) } };
  await call('PutItem', { TableName: table_name, Item });
  const bearer = `Bearer ${second?.api_key}`;
  expect(await ask('GET', '/v1/webhooks', bearer)).toMatchObject({ status: 200, body: { items: [] } });
  expect(await ask('GET', `/v1/webhooks/${id}`, bearer)).toMatchObject({ status: 500 });
  // It has served: what is found from now on is a leak.
  await call('DeleteItem', { TableName: table_name, Key: { pk: { S: pk }, sk: { S: sk } } }).finally(close);
}

const dlq = z.object({
  Messages: z.array(z.object({ Body: z.string(), MessageAttributes: z.record(z.string(), z.unknown()) })).default([]),
});

async function lookAtDeadLetters(name: string, QueueUrl: string, count: number): Promise<void> {
  const seen = new Set<unknown>();
  await eventually(async () => {
    const input = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] };
    const { Messages } = dlq.parse(await callSqs('ReceiveMessage', input));
    for (const { Body, MessageAttributes } of Messages) {
      // A message that was seen before may return while the others are waited for.
      seen.add(Body);
      surfaces.push(surface(`body in the ${name} dead letters`, Body));
      surfaces.push(surface(`attributes in the ${name} dead letters`, JSON.stringify(MessageAttributes)));
      expect(JSON.stringify(MessageAttributes)).toContain('reason');
    }
    expect(seen.size).toBe(count);
  });
}

async function lookAtTable(): Promise<void> {
  const { table_name, endpoints } = stack.info;
  const { call, close } = createServiceClient('dynamodb', endpoints.dynamodb);
  const rows = await scanTable(call, table_name).finally(close);
  for (const row of rows) {
    const kind = [row.pk, row.sk].map((key) => String(key?.S).split('#')[0]).join(' ');
    surfaces.push(surface(`item ${kind}`, JSON.stringify(row)));
    if (kind === 'CURSOR_SECRET CURSOR_SECRET') keep(marker('cursor secret', z.string().parse(row.secret?.S)));
  }
  expect(rows.length).toBeGreaterThan(20);
}

/** What was posted: signatures and bodies are for the receiver alone. */
async function lookAtReceiver(): Promise<void> {
  for (const name of ['good', 'failing', 'recovering', 'cutting', 'unwilling']) {
    const inbox = await fetch(`${stack.info.receiver.inbox_url}?name=${name}`);
    const posts = z
      .array(z.object({ headers: z.record(z.string(), z.unknown()), body_base64: z.string() }))
      .parse(await inbox.json());
    expect(posts.length).toBeGreaterThan(0);
    for (const { headers, body_base64 } of posts) {
      keep(marker('body of an event', Buffer.from(body_base64, 'base64').toString()));
      const signature = z.string().parse(headers['x-service-signature']);
      for (const [, hex = ''] of signature.matchAll(/v1=([0-9a-f]{64})/g)) keep(marker('signature', hex));
      const standard = z.string().parse(headers['webhook-signature']);
      for (const [, base64 = ''] of standard.matchAll(/v1,([\w+/]{43}=)/g)) keep(marker('standard signature', base64));
    }
  }
}

async function lookAtFiles(folder: string, suffix = ''): Promise<void> {
  for (const entry of await readdir(join(workplace.dir, folder), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name.endsWith(suffix)) {
      surfaces.push(surface(`file ${relative(workplace.dir, file)}`, await readFile(file)));
    }
  }
}

async function lookAtProcesses(): Promise<void> {
  for (const pid of await processTree(stack.program.pid)) {
    for (const name of ['cmdline', 'environ']) {
      const content = await readFile(`/proc/${pid}/${name}`).catch(() => Buffer.alloc(0));
      surfaces.push(surface(`${name} of a process`, content));
    }
  }
}

function lookAtOutput(): void {
  const lines = stack.program.output.split('\n');
  const ofFunctions = lines.filter((line) => line.startsWith('{"source":'));
  expect(ofFunctions.length).toBeGreaterThan(20);
  surfaces.push(surface('logs', ofFunctions.join('\n')));
  const own = lines.filter((line) => !ofFunctions.includes(line));
  surfaces.push(surface('what the stack says of itself', own.join('\n')));
}

/** The stack ends without a process or a stack file left. */
async function pressCtrlC(): Promise<void> {
  const pids = await processTree(stack.program.pid);

  stack.program.interrupt();

  expect(await stack.program.exited()).toBe(0);
  await allEnded(pids);
  const left = await readdir(dirname(workplace.stackFile));
  expect(left.filter((name) => name.startsWith('stack'))).toEqual([]);
}

describe('a secret, a key, a token, a body', { timeout: timeLimit }, () => {
  it('secrets, keys, tokens and bodies appear only where they are allowed, until Ctrl-C ends the stack', async () => {
    const credentials = await issueCredentials();
    await askForTrouble(credentials);
    await liveThroughIt(credentials);
    await breakThings();
    await lookAtDeadLetters('intake', stack.info.intake_dead_letter_queue_url, 3);
    await lookAtDeadLetters('delivery', stack.info.delivery_dead_letter_queue_url, 2);
    await lookAtReceiver();
    await lookAtTable();
    const history = await (await fetch(`${stack.info.endpoints.scheduler}/_history`)).text();
    surfaces.push(surface('schedules', history));
    await lookAtProcesses();
    await lookAtFiles('.local');
    await lookAtFiles(join('data', 'app'), '.json');
    await pressCtrlC();
    await lookAtFiles('data');
    lookAtOutput();

    const findings = search(secrets, surfaces);

    expect(findings.filter((each) => !isExcepted(exceptions, each))).toEqual([]);
    const unused = exceptions.filter((each) => !findings.some((finding) => isExcepted([each], finding)));
    expect(unused).toEqual([]);
    expect(only(surfaces.filter(({ where }) => where === 'schedules')).content.toString()).toMatch(/whd_/);
    expect(surfaces.map(({ where }) => where)).toContainEqual(expect.stringMatching(/\.template\.json$/));
  });
});
