import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BodyTooLargeError, listenOnLoopback, readBody, sendJson } from '../../servers/loopback-server.ts';
import { within } from '../../stack/lifecycle.ts';
import type { ApiModel } from '../../template/api-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import {
  announcesTooLargeBody,
  type GatewayRequest,
  gatewayLimits,
  headBytes,
  requestHead,
} from './gateway-request.ts';
import { type GatewayFailure, gatewayResponse } from './gateway-response.ts';
import { matchesMediaType } from './header-rules.ts';
import { headerValue, proxyEvent } from './proxy-event.ts';
import { type HttpResponse, readProxyResult } from './proxy-result.ts';
import { createRouter } from './router.ts';
import { refuseMalformed, writeResponse } from './write-response.ts';

/** An API of the template, and how to invoke its functions. */
type ServedApi = {
  readonly api: ApiModel;
  readonly invoke: (functionArn: string, event: APIGatewayProxyEvent) => Promise<InvokeResult>;
};

export type RunningGateway = {
  /** Without a trailing slash. */
  readonly url: string;
  /** Starts answering; earlier requests wait for this call. */
  readonly serve: (served: ServedApi) => void;
  /** Stops listening; requests in flight get `drainMs` to end. */
  readonly close: (drainMs: number) => Promise<void>;
};

type Route = ReturnType<typeof createRouter>;
type Serving = ServedApi & {
  readonly stagePath: string;
  readonly route: Route;
  readonly integrationTimeoutMs: number;
};

/** Methods that `ANY` stands for. */
const anyMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Starts the stand-in for API Gateway. It listens before there is an API to serve, so that its port is known and taken
 * before anything else starts.
 *
 * @throws Error that names the port when it is taken
 */
export async function startGateway(options: {
  readonly port: number;
  readonly integrationTimeoutMs?: number;
  /** Path of the stage, such as `/dev`. Default: none, as at a domain. */
  readonly stagePath?: string;
}): Promise<RunningGateway> {
  const serving = Promise.withResolvers<Serving>();
  let api: ApiModel | undefined;
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    void serving.promise
      .then((known) => respond(known, incoming, response, listener.isOpen))
      .catch(() => response.destroy());
  };
  const server = createServer(handle);
  server.on('checkContinue', (incoming, response) => {
    if (!announcesTooLargeBody(incoming)) response.writeContinue();
    handle(incoming, response);
  });
  server.on('clientError', (_error, socket) => refuseMalformed(api, socket));
  const listener = await listenOnLoopback(server, options.port);
  const { stagePath = '' } = options;
  return {
    url: listener.url + stagePath,
    serve: (served) => {
      api = served.api;
      const { integrationTimeoutMs = gatewayLimits.integrationTimeoutMs } = options;
      serving.resolve({ ...served, stagePath, route: createRouter(api.resources), integrationTimeoutMs });
    },
    close: (drainMs) => listener.close(drainMs),
  };
}

async function respond(
  serving: Serving,
  incoming: IncomingMessage,
  response: ServerResponse,
  isOpen: () => boolean,
): Promise<void> {
  const head = requestHead(incoming, serving.stagePath);
  // API Gateway itself answers for other stages, so no setting of the API applies.
  if (head === null) return sendJson(response, 403, { message: 'Forbidden' });
  const request: GatewayRequest = {
    ...head,
    requestId: randomUUID(),
    receivedAt: Date.now(),
    body: Buffer.alloc(0),
  };
  const result = await decide(serving, incoming, request);
  // A kept-alive connection would keep the server from closing.
  if (!isOpen()) response.shouldKeepAlive = false;
  const made = typeof result === 'string' ? gatewayResponse(serving.api, result, request.requestId) : result;
  try {
    writeResponse(response, request, made);
  } catch {
    // API Gateway treats a header that HTTP does not allow as a malformed proxy result.
    writeResponse(response, request, gatewayResponse(serving.api, 'DEFAULT_5XX', request.requestId));
  }
}

async function decide(
  serving: Serving,
  incoming: IncomingMessage,
  head: GatewayRequest,
): Promise<HttpResponse | GatewayFailure> {
  if (headBytes(incoming) > gatewayLimits.headBytes) return 'DEFAULT_4XX';
  if (incoming.headers.expect !== undefined && announcesTooLargeBody(incoming)) return 'REQUEST_TOO_LARGE';
  const body = await readBody(incoming, gatewayLimits.bodyBytes).catch(onlyTooLarge);
  if (body === undefined) return 'REQUEST_TOO_LARGE';
  const request = { ...head, body };
  const target = targetOf(serving.route, request);
  if (typeof target === 'string') return target;
  const event = proxyEvent(serving.api, target.match, request);
  const result = await within(serving.integrationTimeoutMs, serving.invoke(target.functionArn, event));
  if (result === undefined) return 'INTEGRATION_TIMEOUT';
  if (!result.ok) return 'DEFAULT_5XX';
  const decodes = matchesMediaType(serving.api.binaryMediaTypes, headerValue(request, 'accept'));
  return readProxyResult(result.payload, decodes) ?? 'DEFAULT_5XX';
}

function onlyTooLarge(error: unknown): undefined {
  if (!(error instanceof BodyTooLargeError)) throw error;
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
