import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { answerJson, listenOnLoopback, readBody } from '../../servers/loopback-server.ts';
import { localRegion } from '../../template/identities.ts';
import type { EmulatorStore } from './emulator-modules.ts';
import { QueueDatabase } from './queue-database.ts';
import { createSqsEmulator, SqsCallError, type SqsEmulator } from './sqs-emulator.ts';

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
   * @throws SqsCallError
   */
  readonly call: (
    action: string,
    input: object,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<unknown>;
};

const contentType = 'application/x-amz-json-1.0';

/** A batch of ten messages is at most 1 MiB, and JSON escapes may make it six times as long. */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Starts the SQS emulator on loopback only.
 *
 * With a data folder, every message that was accepted and not deleted outlives the process, with its receive count.
 * Messages that were in flight become visible immediately, because their receiver ended with the process.
 *
 * @throws Error when the port is in use or another process uses the data folder
 */
export async function startSqs(options: SqsOptions): Promise<RunningSqs> {
  const emulator = await createSqsEmulator();
  // Requests that arrive before the data is loaded wait here.
  const loaded = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    void loaded.promise.then(() => answer(emulator, request, response)).catch(() => response.destroy());
  });
  const { url, close } = await listenOnLoopback(server, options.port);
  const headers = {
    host: new URL(url).host,
    authorization: `Credential=local/20200101/${localRegion}/sqs/aws4_request`,
  };
  try {
    const database =
      options.dataDir === undefined ? null : openDatabase(emulator.store, url, options.dataDir);
    return {
      url,
      call: (action, body, { signal } = {}) => emulator.call({ action, body, headers, signal }),
      [Symbol.asyncDispose]: async () => {
        // Ending the long polls may write changes to the database.
        emulator.store.shutdown();
        await close();
        database?.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  } finally {
    loaded.resolve();
  }
}

async function answer(
  { call }: SqsEmulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const caller = new AbortController();
  response.once('close', () => void (response.writableFinished || caller.abort()));
  try {
    const action = String(request.headers['x-amz-target']).replace(/^AmazonSQS\./, '');
    const body: unknown = JSON.parse((await readBody(request, maxBodyBytes)).toString('utf8'));
    const result = await call({ action, body, headers: request.headers, signal: caller.signal });
    answerJson(response, 200, result, contentType);
  } catch (error) {
    const { code, message, status, queryErrorHeader } = asCallError(error);
    response.setHeader('x-amzn-query-error', queryErrorHeader);
    answerJson(response, status, { __type: `com.amazonaws.sqs#${code}`, message }, contentType);
  }
}

function asCallError(error: unknown): SqsCallError {
  if (error instanceof SqsCallError) return error;
  if (error instanceof SyntaxError) return new SqsCallError('SerializationException', 'The body is not JSON');
  const message = error instanceof Error ? error.message : String(error);
  return new SqsCallError('InternalFailure', message, 500, 'InternalFailure;Receiver');
}

function openDatabase(store: EmulatorStore, url: string, dataDir: string): QueueDatabase {
  const database = new QueueDatabase(join(dataDir, 'sqs.sqlite'));
  for (const { name, arn, attributes, tags } of database.queues()) {
    const accountId = arn.split(':')[4];
    store.createQueue(name, `${url}/${accountId}/${name}`, arn, attributes, tags);
  }
  for (const { queue, message } of database.messages()) store.getQueueByName(queue)?.enqueue(message);
  // Set last, so that loading does not write each row back to the database.
  Object.assign(store, { persistence: database });
  for (const queue of store.allQueues()) Object.assign(queue, { persistence: database });
  return database;
}
