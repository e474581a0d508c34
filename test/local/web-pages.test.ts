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

type Sent = { readonly method: string; readonly headers: Readonly<Record<string, string>> };
type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

/** What a browser makes of `fetch`, forms and images on a page elsewhere. `own` is the address of the port. */
const foreign: Readonly<Record<string, (own: string, port: number) => Sent>> = {
  'the preflight of another origin': (own) => ({
    method: 'OPTIONS',
    headers: {
      Host: own,
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,x-amz-target',
    },
  }),
  'a simple POST of another origin': (own) => ({
    method: 'POST',
    headers: { Host: own, Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
  }),
  'a form of a sandboxed frame': (own) => ({
    method: 'POST',
    headers: { Host: own, Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' },
  }),
  'a page of another program on this machine': (own) => ({
    method: 'POST',
    headers: { Host: own, Origin: 'http://localhost:1', 'Sec-Fetch-Site': 'same-site' },
  }),
  'a page whose name was rebound to this machine': (_own, port) => ({
    method: 'POST',
    headers: {
      Host: `evil.example:${port}`,
      Origin: `http://evil.example:${port}`,
      'Sec-Fetch-Site': 'same-origin',
    },
  }),
  'a GET by a name that was rebound to this machine': (_own, port) => ({
    method: 'GET',
    headers: { Host: `evil.example:${port}` },
  }),
  'an image on a page of another origin': (own) => ({
    method: 'GET',
    headers: { Host: own, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
  }),
  'a frame on a page of another origin': (own) => ({
    method: 'GET',
    headers: {
      Host: own,
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'iframe',
    },
  }),
};

describe('every port of the running stack', () => {
  it('every port of the stack listens on loopback, and is named in the stack file', () => {
    const { api_url, endpoints, receiver, issuer } = stack.info;
    const named = [api_url, ...Object.values(endpoints), receiver.origin, receiver.inbox_url, issuer.url];

    expect(sockets.map(({ port }) => port).sort()).toEqual(
      named.map((url) => Number(new URL(url).port)).sort(),
    );
    expect(sockets.filter(({ host }) => !host.startsWith('127.'))).toEqual([]);
  });

  it.each(Object.entries(foreign))('every port of the stack is out of reach for %s', async (_name, make) => {
    const outcomes = await Promise.all(
      sockets.map(async (socket) => {
        if (await isBlockedByBrowsers(socket)) return 'no browser connects';
        const { status, headers } = await send(socket, make(`127.0.0.1:${socket.port}`, socket.port));
        return headers['access-control-allow-origin'] ?? status;
      }),
    );

    expect(outcomes).toEqual(sockets.map(() => expect.toBeOneOf([403, 'no browser connects'])));
  });

  it('every port of the stack answers programs, its own pages, and a person who follows a link', async () => {
    const outcomes = await Promise.all(
      sockets.map(async (socket) => {
        const { port } = socket;
        const scheme = String(port) === new URL(stack.info.receiver.origin).port ? 'https' : 'http';
        const own = `127.0.0.1:${port}`;
        const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
        const requests = [
          { method: 'GET', headers: { Host: own } },
          { method: 'GET', headers: { Host: `LOCALHOST:${port}` } },
          { method: 'POST', headers: { Host: own, Origin: `${scheme}://${own}` } },
          { method: 'GET', headers: { Host: own, 'Sec-Fetch-Site': 'same-origin' } },
          { method: 'GET', headers: { Host: own, ...link, 'Sec-Fetch-Dest': 'document' } },
        ];
        const answers = await Promise.all(requests.map((sent) => send(socket, sent)));
        return answers.filter(({ status }) => status === 403);
      }),
    );

    expect(outcomes).toEqual(sockets.map(() => []));
  });

  it('every port says why it refuses a request, and what to do', async () => {
    const port = Number(new URL(stack.info.api_url).port);
    const refused = async (headers: Readonly<Record<string, string>>): Promise<unknown> =>
      JSON.parse((await send({ host: '127.0.0.1', port }, { method: 'GET', headers })).body);

    expect(await refused({ Origin: 'https://evil.example' })).toEqual({
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

async function send(socket: ListeningSocket, sent: Sent): Promise<Answer> {
  const start = String(socket.port) === new URL(stack.info.receiver.origin).port ? requestTls : request;
  const asked = start({ ...socket, ...sent, path: '/', agent: false, rejectUnauthorized: false });
  asked.end(sent.method === 'POST' ? '{}' : undefined);
  const [answer] = await once(asked, 'response');
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}
