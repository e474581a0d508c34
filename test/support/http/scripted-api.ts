import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback, sendJson } from '../../../tools/local/servers/loopback-server.ts';

export type ScriptedAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The connection ends instead. */
  readonly isLost?: true;
};

export type SeenRequest = {
  readonly method: string | undefined;
  /** Request target, query included. */
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | string[] | undefined;
  readonly body: string;
  /** Milliseconds since the answer to the request before. */
  readonly after: number;
};

export type ScriptedApi = AsyncDisposable & {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
};

/** A server that gives the answers in order, then 500, and notes the requests. */
export async function startScriptedApi(answers: readonly ScriptedAnswer[]): Promise<ScriptedApi> {
  const requests: SeenRequest[] = [];
  let answeredAt = performance.now();
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const after = performance.now() - answeredAt;
    const body = await text(request);
    const answer = answers[requests.length] ?? { status: 500, body: {} };
    const { authorization, 'idempotency-key': idempotencyKey } = headers;
    requests.push({ method, path, authorization, idempotencyKey, body, after });
    if (answer.isLost) {
      request.socket.destroy();
      return;
    }
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    // Before the client can have it: on a busy machine, this process learns late that it was sent.
    answeredAt = performance.now();
    sendJson(response, answer.status ?? 200, answer.body);
  });
  const { url, close } = await listenOnLoopback(server, 0);
  return { url, requests, [Symbol.asyncDispose]: close };
}
