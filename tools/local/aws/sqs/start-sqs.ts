import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { answerJson, listenOnLoopback, readBody } from '../../servers/loopback-server.ts';
import { QueueDatabase } from './queue-database.ts';
import type { SqsCaller } from './sqs-action.ts';
import { SqsError } from './sqs-error.ts';
import { SqsQueues } from './sqs-queues.ts';

export type SqsOptions = {
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder that keeps queues and messages after the process ends. Default: in memory. */
  readonly dataDir?: string | undefined;
};

export type RunningSqs = AsyncDisposable & {
  /** Every queue URL starts with it. */
  readonly url: string;
  /**
   * Makes a call within this process, without HTTP.
   *
   * @throws SqsError
   */
  readonly call: (
    action: string,
    input: object,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<unknown>;
};

type Call = (action: string, input: unknown, caller: SqsCaller) => Promise<unknown>;

const contentType = 'application/x-amz-json-1.0';

/** A batch of ten messages is at most 1 MiB, and JSON escapes may make it six times as long. */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Starts an SQS emulator on loopback only: standard queues, served fairly, with the actions that this project uses.
 *
 * With a data folder, every message that was accepted and not deleted outlives the process, with its receive count.
 * Messages that were in flight become visible immediately, because their receiver ended with the process.
 *
 * @throws Error when the port is in use or another process uses the data folder
 */
export async function startSqs({ port, dataDir }: SqsOptions): Promise<RunningSqs> {
  // Requests that arrive before the data is loaded wait here.
  const loaded = Promise.withResolvers<Call>();
  const server = createServer((request, response) => {
    void loaded.promise.then((call) => respond(call, request, response)).catch(() => response.destroy());
  });
  const { url, close } = await listenOnLoopback(server, port);
  try {
    const database = dataDir === undefined ? undefined : new QueueDatabase(join(dataDir, 'queues.sqlite'));
    const queues = new SqsQueues(url, database);
    const call: Call = async (action, input, caller) => {
      const run = queues.actions[action];
      if (run === undefined) throw new SqsError('InvalidAction', `Unknown action: ${action}`);
      return await run(input, caller);
    };
    loaded.resolve(call);
    return {
      url,
      call: (action, input, { signal } = {}) => call(action, input, { signal, trace: undefined }),
      [Symbol.asyncDispose]: async () => {
        queues.endPolls();
        await close();
        database?.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function respond(call: Call, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const caller = new AbortController();
  response.once('close', () => void (response.writableFinished || caller.abort()));
  const trace = request.headers['x-amzn-trace-id']?.toString();
  try {
    const action = String(request.headers['x-amz-target']).replace(/^AmazonSQS\./, '');
    const body: unknown = JSON.parse((await readBody(request, maxBodyBytes)).toString('utf8'));
    answerJson(response, 200, await call(action, body, { signal: caller.signal, trace }), contentType);
  } catch (error) {
    const { code, queryCode, message, isCallers } = failureOf(error);
    const party = isCallers ? 'Sender' : 'Receiver';
    response.setHeader('x-amzn-query-error', `AWS.SimpleQueueService.${queryCode};${party}`);
    answerJson(
      response,
      isCallers ? 400 : 500,
      { __type: `com.amazonaws.sqs#${code}`, message },
      contentType,
    );
  }
}

function failureOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof SyntaxError ? 'SerializationException' : 'InternalFailure';
  return error instanceof SqsError
    ? { code: error.code, queryCode: error.queryCode, message, isCallers: true }
    : { code, queryCode: code, message, isCallers: error instanceof SyntaxError };
}
