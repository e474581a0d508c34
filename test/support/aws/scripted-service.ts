import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** Answers one request. A service that does nothing is silent. */
export type Step = (response: ServerResponse, request: IncomingMessage) => void;

export const ok =
  (body = '{}'): Step =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body);

export const refusal =
  (status: number, name: string, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers })
      .end(
        JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `Not now: ${name}` }),
      );

export const plain =
  (status: number, body: string): Step =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(body);

export const cut: Step = (_, request) => void request.socket.destroy();

/** Sends the headers and half of the body, then cuts the connection. */
export const cutInTheMiddle: Step = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"Item":', () => response.socket?.destroy());
};

export const silent: Step = () => {};

/** A service on loopback that answers each request with the next step, and with the last one after that. */
export async function startScriptedService(...steps: readonly Step[]) {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const step = steps[Math.min(requests.length, steps.length - 1)];
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
    step?.(response, request);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, connections: () => connections };
}

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
