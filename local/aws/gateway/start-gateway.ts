import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { z } from 'zod';
import { refuseForeignPages } from '../../servers/foreign-pages.ts';
import type { ApiModel } from '../../template/api-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import {
  announcesTooLargeBody,
  type GatewayRequest,
  gatewayLimits,
  headBytes,
  readBody,
  requestHead,
} from './gateway-request.ts';
import { type GatewayFailure, gatewayResponse } from './gateway-response.ts';
import { matchesMediaType } from './media-types.ts';
import { headerValue, proxyEvent } from './proxy-event.ts';
import { type GatewayAnswer, readProxyResult } from './proxy-result.ts';
import { createRouter } from './router.ts';

/** What the gateway serves: an API of the template, and the functions behind it. */
type ServedApi = {
  readonly api: ApiModel;
  readonly invoke: (functionArn: string, event: APIGatewayProxyEvent) => Promise<InvokeResult>;
};

export type RunningGateway = {
  /** Without a trailing slash. */
  readonly url: string;
  /** Requests that came before wait for this. */
  readonly serve: (served: ServedApi) => void;
  /** Stops listening; requests in flight get `drainMs` to end. */
  readonly close: (drainMs: number) => Promise<void>;
};

type Route = ReturnType<typeof createRouter>;
type Serving = ServedApi & {
  readonly route: Route;
  readonly integrationTimeoutMs: number;
  readonly isOpen: () => boolean;
};

const portInUseSchema = z.object({ code: z.literal('EADDRINUSE') });

/** Methods that `ANY` stands for. */
const anyMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Listens on 127.0.0.1 in the place of API Gateway. It listens before there is anything to serve, so that the
 * port is known, and found to be free, before anything else is started.
 *
 * @throws Error that names the port when it is taken
 */
export async function startGateway(options: {
  readonly port: number;
  readonly integrationTimeoutMs?: number;
}): Promise<RunningGateway> {
  const serving = Promise.withResolvers<Serving>();
  let served: Serving | undefined;
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    void serving.promise.then((known) => answer(known, incoming, response)).catch(() => response.destroy());
  };
  // Longer than clients keep an idle connection, so that none of them sends into one that is just closing.
  const server = createServer({ keepAliveTimeout: 120_000 }, handle);
  refuseForeignPages(server);
  server.on('checkContinue', (incoming, response) => {
    if (!announcesTooLargeBody(incoming)) response.writeContinue();
    handle(incoming, response);
  });
  server.on('clientError', (_error, socket) => answerMalformed(served?.api, socket));
  const port = await listen(server, options.port);
  return {
    // As an origin is written: without the port that is the default.
    url: new URL(`http://127.0.0.1:${port}`).origin,
    serve: (given) => {
      served = {
        ...given,
        isOpen: () => server.listening,
        route: createRouter(given.api.resources),
        integrationTimeoutMs: options.integrationTimeoutMs ?? gatewayLimits.integrationTimeoutMs,
      };
      serving.resolve(served);
    },
    close: (drainMs) => close(server, drainMs),
  };
}

async function answer(serving: Serving, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request: GatewayRequest = {
    ...requestHead(incoming),
    requestId: randomUUID(),
    receivedAt: Date.now(),
    body: Buffer.alloc(0),
  };
  const result = await decide(serving, incoming, request);
  // Else the client would keep the connection, and with it the server that is to end.
  if (!serving.isOpen()) response.shouldKeepAlive = false;
  const made = typeof result === 'string' ? gatewayResponse(serving.api, result, request) : result;
  try {
    write(response, request, made);
  } catch {
    // A header that HTTP does not allow is as malformed as any other fault of a proxy result.
    write(response, request, gatewayResponse(serving.api, 'DEFAULT_5XX', request));
  }
}

async function decide(
  serving: Serving,
  incoming: IncomingMessage,
  head: GatewayRequest,
): Promise<GatewayAnswer | GatewayFailure> {
  if (headBytes(incoming) > gatewayLimits.headBytes) return 'DEFAULT_4XX';
  if (incoming.headers.expect !== undefined && announcesTooLargeBody(incoming)) return 'REQUEST_TOO_LARGE';
  const body = await readBody(incoming);
  if (body === undefined) return 'REQUEST_TOO_LARGE';
  const request = { ...head, body };
  const target = targetOf(serving.route, request);
  if (typeof target === 'string') return target;
  const event = proxyEvent(serving.api, target.match, request);
  const result = await withTimeout(serving.invoke(target.functionArn, event), serving.integrationTimeoutMs);
  if (result === undefined) return 'INTEGRATION_TIMEOUT';
  if (!result.ok) return 'DEFAULT_5XX';
  const decodes = matchesMediaType(serving.api.binaryMediaTypes, headerValue(request, 'accept'));
  return readProxyResult(result.payload, decodes) ?? 'DEFAULT_5XX';
}

function targetOf(route: Route, request: GatewayRequest) {
  let match: ReturnType<Route>;
  try {
    match = route(request.path);
  } catch {
    return 'DEFAULT_4XX';
  }
  const methods = match?.resource.methods;
  const functionArn =
    methods?.get(request.method) ?? (anyMethods.has(request.method) ? methods?.get('ANY') : undefined);
  if (match === undefined || functionArn === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
  return { match, functionArn };
}

async function withTimeout(
  invocation: Promise<InvokeResult>,
  timeoutMs: number,
): Promise<InvokeResult | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs);
  try {
    return await Promise.race([invocation, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function write(response: ServerResponse, request: GatewayRequest, made: GatewayAnswer): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (const [name, value] of made.headers) response.setHeader(name, value);
  response.setHeader('x-amzn-RequestId', request.requestId);
  if (made.status !== 204 && made.status !== 304) response.setHeader('Content-Length', made.body.length);
  response.writeHead(made.status);
  response.end(made.body);
}

/** Node could not parse the request, so there is only a socket to write to. */
function answerMalformed(api: ApiModel | undefined, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const made = gatewayResponse(api, 'DEFAULT_4XX', { requestId: randomUUID() });
  const headers = [...made.headers, ['Content-Length', String(made.body.length)], ['Connection', 'close']];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${made.status} ${STATUS_CODES[made.status]}\r\n${head}\r\n${made.body.toString()}`);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(portInUseSchema.safeParse(error).success ? portInUse(port, error) : error),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function portInUse(port: number, cause: Error): Error {
  return new Error(
    `Port ${port} is in use: stop the program that listens there, or choose another with --port`,
    {
      cause,
    },
  );
}

async function close(server: Server, drainMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
