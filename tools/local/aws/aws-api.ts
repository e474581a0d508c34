import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { answerJson, type LoopbackServer, listenOnLoopback, readBody } from '../servers/loopback-server.ts';

const maxBodyBytes = 2 * 1024 * 1024;

/** A failure with the name from which the SDK builds its exception. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Returns the response to one call as a JSON value. `body` is `null` when the request has none. */
export type AnswerCall = (request: IncomingMessage, body: unknown) => unknown;

/**
 * Serves an AWS service with one of the JSON protocols.
 *
 * @param port 0 picks a free port
 */
export async function serveAwsCalls(port: number, answerCall: AnswerCall): Promise<LoopbackServer> {
  const server = createServer((request, response) => void answer(answerCall, request, response));
  return await listenOnLoopback(server, port);
}

/** @throws AwsError ValidationException */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AwsError('ValidationException', z.prettifyError(parsed.error));
}

async function answer(
  answerCall: AnswerCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const type = request.headers['content-type'];
  try {
    const body = parseBody(await readBody(request, maxBodyBytes));
    answerJson(response, 200, answerCall(request, body), type);
  } catch (error) {
    const { code, status, message } = error instanceof AwsError ? error : internalError(error);
    response.setHeader('x-amzn-errortype', code);
    // Services differ in the case of this member, and the SDK reads only the spelling of its service.
    answerJson(response, status, { __type: code, message, Message: message }, type);
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

function internalError(error: unknown): AwsError {
  return new AwsError('InternalServerException', error instanceof Error ? error.message : String(error), 500);
}
