import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';

// An import would run the module's lazy getters, which load a second HTTP client: half of a cold start.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

export type HttpRequest = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
};

/** Posts over connections that later requests use again. */
export type Transport = {
  /** @throws Error of Node, or `ServiceSilent` */
  post(request: HttpRequest): Promise<HttpAnswer>;
  /** Closes the connections. */
  close(): void;
};

export type TransportLimits = {
  readonly maxSockets: number;
  /** Milliseconds without a sign of life: until a connection opens, and then until more of the response arrives. */
  readonly patience: number;
};

/** The service gave no sign of life for as long as the limits allow. */
class ServiceSilent extends Error {
  override readonly name = 'TimeoutError';
}

export function createTransport({ maxSockets, patience }: TransportLimits): Transport {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets }),
  };
  return {
    post: ({ url, headers, body }) => {
      const { hostname, port, pathname: path } = url;
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method: 'POST', hostname, port, path, headers: { ...headers, ...length } };
      const request =
        url.protocol === 'https:'
          ? httpsRequest({ ...options, agent: agents['https:'] })
          : httpRequest({ ...options, agent: agents['http:'] });
      const answer = answerTo(request);
      request.once('socket', (socket) => limitSilence(request, socket, patience));
      request.end(body);
      return answer;
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function answerTo(request: ClientRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      readText(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
  });
}

function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => void chunks.push(chunk));
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.once('error', reject);
  });
}

/**
 * Ends a request whose connection is silent. The time during which this process did other work does not count: what
 * arrived meanwhile is read before the connection counts as silent.
 */
function limitSilence(request: ClientRequest, socket: Socket, patience: number): void {
  const onSilence = () => {
    const { bytesRead, connecting } = socket;
    setImmediate(() => {
      const isAlive = socket.bytesRead !== bytesRead || socket.connecting !== connecting;
      if (!isAlive) request.destroy(new ServiceSilent(`The service was silent for ${patience} ms`));
    });
  };
  socket.setTimeout(patience, onSilence);
  request.once('close', () => {
    socket.off('timeout', onSilence);
    socket.setTimeout(0);
  });
}
