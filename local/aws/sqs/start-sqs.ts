import { join } from 'node:path';
import { refuseForeignPages } from '../../servers/foreign-pages.ts';
import { describeBindError, loopbackHost } from '../../servers/loopback-server.ts';
import { buildEmulator, type EmulatorApp, type EmulatorStore } from './emulator-modules.ts';
import { QueueDatabase } from './queue-database.ts';

export type SqsOptions = {
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder that keeps queues and messages after the process ends. Default: in memory. */
  readonly dataDir?: string | undefined;
};

export type RunningSqs = AsyncDisposable & {
  /** Every queue URL starts with it. */
  readonly url: string;
};

/**
 * Starts the SQS emulator on loopback only.
 *
 * With a data folder, every message that was accepted and not deleted outlives the process, with its receive count.
 * Messages that were in flight become visible immediately, because their receiver ended with the process.
 *
 * @throws Error when the port is in use or another process uses the data folder
 */
export async function startSqs(options: SqsOptions): Promise<RunningSqs> {
  const { app, store } = await buildEmulator();
  refuseForeignPages(app.server);
  // Requests that arrive before the data is loaded wait here.
  const loaded = Promise.withResolvers<void>();
  app.addHook('onRequest', () => loaded.promise);
  const url = await listen(app, options.port);
  try {
    const database = options.dataDir === undefined ? null : openDatabase(store, url, options.dataDir);
    loaded.resolve();
    return { url, [Symbol.asyncDispose]: () => close(app, database) };
  } catch (error) {
    loaded.resolve();
    await app.close();
    throw error;
  }
}

async function listen(app: EmulatorApp, port: number): Promise<string> {
  try {
    return await app.listen({ host: loopbackHost, port });
  } catch (error) {
    throw error instanceof Error ? describeBindError(error, port) : error;
  }
}

/** Closes the emulator first: ending its long polls writes changes to the database. */
async function close(app: EmulatorApp, database: QueueDatabase | null): Promise<void> {
  await app.close();
  database?.close();
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
