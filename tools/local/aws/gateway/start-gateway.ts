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
import {
  type GatewayFailure,
  gatewayResponse,
  type HttpResponse,
  readProxyResult,
  refuseMalformed,
  writeResponse,
} from './gateway-response.ts';
import { matchesMediaType } from './header-rules.ts';
import { headerValue, proxyEvent } from './proxy-event.ts';
import { createRouter } from './router.ts';

/** An API of the template, and how to invoke its functions. */
type ServedApi = {
  readonly api: ApiModel;
  readonly invoke: (functionArn: string, event: APIGatewayProxyEvent) => Promise<InvokeResult>;
  /** Answers what is not of the template; `null` for everything else. Default: nothing. */
  readonly own?: (request: Pick<GatewayRequest, 'method' | 'path' | 'body'>) => Promise<HttpResponse | null>;
};

export type RunningGateway = {
  /** Without a trailing slash. */
  readonly url: string;
  /** Starts answering; earlier requests wait for this call. */
  readonly serve: (served: ServedApi) => void;
  /** Stops listening; requests in flight get `drainMs` to end. */
  readonly close: (drainMs: number) => Promise<void>;
};

type Serving = ServedApi & {
  readonly stagePath: string;
  readonly route: ReturnType<typeof createRouter>;
  readonly integrationTimeoutMs: number;
};

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
  const { stagePath = '', integrationTimeoutMs = gatewayLimits.integrationTimeoutMs } = options;
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
  return {
    url: listener.url + stagePath,
    serve: (served) => {
      api = served.api;
      serving.resolve({ ...served, stagePath, route: createRouter(api.resources), integrationTimeoutMs });
    },
    close: listener.close,
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
  const result = await decide(serving, incoming, head);
  // A kept-alive connection would keep the server from closing.
  if (!isOpen()) response.shouldKeepAlive = false;
  const ownResponse = (failure: GatewayFailure) => gatewayResponse(serving.api, failure, head.requestId);
  try {
    writeResponse(response, head.requestId, typeof result === 'string' ? ownResponse(result) : result);
  } catch {
    // API Gateway treats a header that HTTP does not allow as a malformed proxy result.
    writeResponse(response, head.requestId, ownResponse('DEFAULT_5XX'));
  }
}

async function decide(serving: Serving, incoming: IncomingMessage, head: GatewayRequest) {
  if (headBytes(incoming) > gatewayLimits.headBytes) return 'DEFAULT_4XX';
  if (incoming.headers.expect !== undefined && announcesTooLargeBody(incoming)) return 'REQUEST_TOO_LARGE';
  const body = await readBody(incoming, gatewayLimits.bodyBytes).catch(onlyTooLarge);
  if (body === undefined) return 'REQUEST_TOO_LARGE';
  const own = (await serving.own?.({ ...head, body })) ?? null;
  if (own !== null) return own;
  const target = serving.route(head.method, head.path);
  if (typeof target === 'string') return target;
  const event = proxyEvent(serving.api, target, { ...head, body });
  const result = await within(serving.integrationTimeoutMs, serving.invoke(target.functionArn, event));
  if (result === undefined) return 'INTEGRATION_TIMEOUT';
  if (!result.ok) return 'DEFAULT_5XX';
  const decodes = matchesMediaType(serving.api.binaryMediaTypes, headerValue(head, 'accept'));
  return readProxyResult(result.payload, decodes) ?? 'DEFAULT_5XX';
}

function onlyTooLarge(error: unknown): undefined {
  if (!(error instanceof BodyTooLargeError)) throw error;
}
