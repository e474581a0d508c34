import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { listenOnLoopback, readBody, sendJson } from '../servers/loopback-server.ts';

/** A batch of DynamoDB is at most 16 MB. Ten messages of SQS are at most 1 MiB, and JSON may make them six times as long. */
const maxBodyBytes = 20 * 1024 * 1024;

/** A failure with the name from which the SDK builds its exception. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;
  /** What the error says beside its message, as the members of the exception. */
  readonly members: object;

  constructor(code: string, message: string, status = 400, members: object = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.members = members;
  }
}

/** One call of a client. */
export type AwsCall = {
  readonly request: IncomingMessage;
  /** The action that the request names, without the service; `''` when its path says what to do. */
  readonly action: string;
  /** `null` when the request has none. */
  readonly body: unknown;
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal;
};

export type RunningService = AsyncDisposable & { readonly url: string };

/**
 * Serves an AWS service with one of the JSON protocols.
 *
 * @param port 0 picks a free port
 * @param serve returns the response as a JSON value
 */
export async function serveAwsCalls(port: number, serve: (call: AwsCall) => unknown): Promise<RunningService> {
  const server = createServer((request, response) => void respond(serve, request, response));
  const { url, close } = await listenOnLoopback(server, port);
  return { url, [Symbol.asyncDispose]: () => close() };
}

/** The name of the function that makes a call: each has a session of this name. `undefined` for any other caller. */
export function sessionOf({ headers }: IncomingMessage): string | undefined {
  const session = headers['x-amz-security-token'];
  return typeof session === 'string' ? session : undefined;
}

/** @throws AwsError `code` */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, code = 'ValidationException'): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AwsError(code, z.prettifyError(parsed.error));
}

async function respond(
  serve: (call: AwsCall) => unknown,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const type = request.headers['content-type'];
  const action = request.headers['x-amz-target']?.toString().split('.').at(-1) ?? '';
  const caller = new AbortController();
  response.once('close', () => void (response.writableFinished || caller.abort()));
  try {
    const body = parseBody(await readBody(request, maxBodyBytes));
    sendJson(response, 200, await serve({ request, action, body, signal: caller.signal }), type);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const known = error instanceof AwsError ? error : new AwsError('InternalServerException', reason, 500);
    const { code, status, message, members } = known;
    response.setHeader('x-amzn-errortype', code);
    // Services differ in the case of this member, and the SDK reads only the spelling of its service.
    sendJson(response, status, { __type: code, message, Message: message, ...members }, type);
  }
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AwsError('ValidationException', 'The body is not JSON');
  }
}
