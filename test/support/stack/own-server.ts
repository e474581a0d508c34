import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../local/servers/loopback-server.ts';

/** A request as one's own server received it, with names and values of headers in turn. */
export type OwnRequest = {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};

/** The plain-http server of a developer. @param statusOf gets the number of the request, from 1; 0 answers nothing */
export async function startOwnServer(statusOf: (number: number) => number, port = 0) {
  const requests: OwnRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const number = requests.push({ method, url, rawHeaders, body: await buffer(request) });
    const status = statusOf(number);
    if (status !== 0) response.writeHead(status, { 'X-Own': 'yes' }).end(`answer ${number}`);
  });
  const listening = await listenOnLoopback(server, port, 'any');
  return { port: listening.port, requests, close: () => listening.close() };
}
