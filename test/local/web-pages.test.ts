import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { type ListeningSocket, listeningSockets } from '../support/stack/listening-sockets.ts';
import { writeSmallApp } from './small-app.ts';

let dir: string;
let stack: RunningStack;
let sockets: readonly ListeningSocket[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'web-pages-'));
  const before = await listeningSockets(process.pid);
  stack = await startStack({
    port: 0,
    stateDir: dir,
    synthesize: writeSmallApp,
    seed: async () => [{ id: 'cus_1', api_key: 'key_1' }],
  });
  const known = new Set(before.map(({ port }) => port));
  sockets = (await listeningSockets(process.pid)).filter(({ port }) => !known.has(port));
});
afterAll(async () => {
  await stack?.close();
  await rm(dir, { recursive: true, force: true });
});

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
  [
    'a form of a sandboxed frame',
    'POST',
    { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' },
  ],
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
  ['an image on a page of another origin', 'GET', { ...crossSite, 'Sec-Fetch-Mode': 'no-cors' }],
  [
    'a frame on a page of another origin',
    'GET',
    { ...crossSite, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
  ],
];

describe('every port of the running stack', () => {
  it('every port of the stack listens on loopback, and is named in the stack file', () => {
    const { api_url, endpoints, receiver, issuer } = stack.info;
    const named = [api_url, ...Object.values(endpoints), receiver.origin, receiver.inbox_url, issuer.url];

    expect(sockets.map(({ port }) => port).sort()).toEqual(
      named.map((url) => Number(new URL(url).port)).sort(),
    );
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
});

/** Node's `fetch` keeps the list of ports that the Fetch standard has every browser refuse to connect to. */
async function isBlockedByBrowsers({ host, port }: ListeningSocket): Promise<boolean> {
  try {
    await (await fetch(`http://${host}:${port}/`)).arrayBuffer();
    return false;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
  }
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
