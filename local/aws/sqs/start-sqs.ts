import { join } from 'node:path';
import { refuseForeignPages } from '../../servers/foreign-pages.ts';
import { describeBindError, loopbackHost } from '../../servers/loopback-server.ts';
import { buildEmulator, type EmulatorApp, type EmulatorStore } from './emulator-modules.ts';
import { QueueDatabase } from './queue-database.ts';

export type SqsOptions = {
  /** 0 takes any free one. */
  readonly port: number;
  /** Folder in which queues and messages outlive the process; without it they are in memory. */
  readonly dataDir?: string | undefined;
};

export type RunningSqs = AsyncDisposable & {
  /** Also the start of every queue URL. */
  readonly url: string;
};

/**
 * Starts the SQS emulator on loopback only.
 *
 * With a data folder, every message that was accepted and not deleted outlives the process, with its receive count.
 * What was in flight is visible at once: its receiver ended with the process.
 *
 * @throws Error when the port is in use or another process uses the data folder
 */
export async function startSqs(options: SqsOptions): Promise<RunningSqs> {
  const { app, store } = await buildEmulator();
  refuseForeignPages(app.server);
  // Requests that come between listening and the end of loading wait here.
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

/** The emulator first ends long polls; their changes are on disk before the database is closed. */
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
  // Set last, so that the database does not get a change for each row that was read from it.
  Object.assign(store, { persistence: database });
  for (const queue of store.allQueues()) Object.assign(queue, { persistence: database });
  return database;
}
