import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { readBody } from '../../servers/loopback-server.ts';
import { checkSignature } from './check-signature.ts';
import type { Inbox, ReceivedRequest } from './inbox.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { PostCounts } from './post-counts.ts';

type State = {
  readonly inbox: Inbox;
  readonly secrets: KnownSecrets;
  /** The POSTs that `fail_first` counts. */
  readonly counts: PostCounts;
};

const maxSecretBytes = 64 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Answers a request to the inbox: lists it, empties it, or takes a secret. */
export async function answerInbox(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const name = url.searchParams.get('name');
  if (url.pathname === '/inbox/secrets') {
    await takeSecret(state.secrets, name, request, response);
  } else if (url.pathname !== '/inbox') {
    answer(response, 404, { message: 'Not found: use /inbox' });
  } else if (request.method === 'GET') {
    answer(
      response,
      200,
      state.inbox.list(name).map((received) => toEntry(received, state.secrets, url.origin)),
    );
  } else if (request.method === 'DELETE') {
    state.inbox.clear(name);
    state.counts.clear(name);
    response.writeHead(204).end();
  } else {
    answer(response, 405, { message: 'Method not allowed: GET lists the inbox, DELETE empties it' });
  }
}

/** A request in the listing. `body` is `null` when the bytes are not UTF-8. */
function toEntry({ name, at, path, headers, body }: ReceivedRequest, secrets: KnownSecrets, origin: string) {
  const howToGive = `POST it, or the response of the registration, to ${origin}/inbox/secrets?name=${encodeURIComponent(name)}`;
  return {
    time: new Date(at).toISOString(),
    path,
    ...checkSignature({ at, headers, body }, secrets.of(name), howToGive),
    headers,
    body: textOf(body),
    body_base64: body.toString('base64'),
  };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

async function takeSecret(
  secrets: KnownSecrets,
  name: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    answer(response, 405, { message: 'Method not allowed: POST gives a secret' });
    return;
  }
  const given = (await readBody(request, maxSecretBytes)).toString().trim();
  const secret = secretIn(given);
  if (name === null) {
    answer(response, 400, { message: 'Name the path of the endpoint: /inbox/secrets?name=hello for /hello' });
  } else if (secret === null) {
    answer(response, 400, { message: `Expected ${expected}${problemIn(given)}` });
  } else {
    secrets.add(name, secret);
    answer(response, 200, { message: `Deliveries to /${name} are verified with this secret` });
  }
}

const expected =
  'a signing secret (whsec_…), or the response to a registration or a rotation, which contains one';
const plainSecret = z.string().regex(/^whsec_\S+$/);
const withSecret = z.object({ secret: plainSecret });
const problem = z.object({ code: z.string() });

/** The secret that a text is, or that a response of the API contains. */
function secretIn(text: string): string | null {
  return withSecret.safeParse(parseJson(text)).data?.secret ?? plainSecret.safeParse(text).data ?? null;
}

/** Names the error of the API: a pipe from the registration passes it here. */
function problemIn(text: string): string {
  const { data } = problem.safeParse(parseJson(text));
  return data === undefined ? '' : `; got the error ${data.code}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Indented, with a final newline: people read the inbox in a terminal. */
function answer(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(`${JSON.stringify(body, null, 2)}\n`);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}
