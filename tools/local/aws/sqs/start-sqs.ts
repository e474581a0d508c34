import { join } from 'node:path';
import { AwsError, serveAwsCalls } from '../aws-api.ts';
import type { SqsCaller } from './message-actions.ts';
import { QueueDatabase } from './queue-database.ts';
import { sqsActions } from './sqs-actions.ts';
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
   * @throws AwsError
   */
  readonly call: (
    action: string,
    input: object,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<unknown>;
};

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
  const loaded = Promise.withResolvers<SqsQueues>();
  const { url, close } = await serveAwsCalls(port, async ({ request, action, body, signal }) => {
    const trace = request.headers['x-amzn-trace-id']?.toString();
    return await run(await loaded.promise, action, body, { signal, trace });
  });
  try {
    const database = dataDir === undefined ? undefined : new QueueDatabase(join(dataDir, 'queues.sqlite'));
    const queues = new SqsQueues(url, database);
    loaded.resolve(queues);
    return {
      url,
      call: (action, input, { signal } = {}) => run(queues, action, input, { signal, trace: undefined }),
      [Symbol.asyncDispose]: async () => {
        await close();
        queues.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function run(queues: SqsQueues, name: string, input: unknown, caller: SqsCaller): Promise<unknown> {
  const action = sqsActions[name];
  if (action === undefined) throw new AwsError('InvalidAction', `Unknown action: ${name}`);
  return await action(queues, input, caller);
}
