import { join } from 'node:path';
import { starting } from '../../stack/lifecycle.ts';
import type { CallService } from '../../stack/service-client.ts';
import { AwsError, type RunningService, serveAwsCalls } from '../aws-api.ts';
import { QueueDatabase } from './queue-database.ts';
import { sqsActions } from './sqs-actions.ts';
import { SqsQueues } from './sqs-queues.ts';

export type SqsOptions = {
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder that keeps queues and messages after the process ends. Default: in memory. */
  readonly dataDir?: string | undefined;
};

/** Every queue URL starts with its `url`. */
export type RunningSqs = RunningService & {
  /** Makes a call within this process, without HTTP. */
  readonly call: CallService;
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
  return await starting(async (parts) => {
    const database = dataDir === undefined ? undefined : new QueueDatabase(join(dataDir, 'queues.sqlite'));
    const queues = new SqsQueues(database);
    parts.defer(() => queues.close());
    const run = async (name: string, input: unknown, signal?: AbortSignal, trace?: string) => {
      const action = sqsActions[name];
      if (action === undefined) throw new AwsError('InvalidAction', `Unknown action: ${name}`);
      return await action(queues, input, { signal, trace });
    };
    const server = await serveAwsCalls(port, ({ request, action, body, signal }) =>
      run(action, body, signal, request.headers['x-amzn-trace-id']?.toString()),
    );
    const { url } = parts.use(server);
    queues.origin = url;
    return { url, call: (action, input, { signal } = {}) => run(action, input, signal) };
  });
}
