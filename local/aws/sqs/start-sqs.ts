import { join } from 'node:path';
import { refuseForeignPages } from '../../servers/foreign-pages.ts';
import { describeBindError, loopbackHost } from '../../servers/loopback-server.ts';
import { buildEmulator, type EmulatorApp, type EmulatorStore } from './emulator-modules.ts';
import { QueueDatabase } from './queue-database.ts';
import type { StoredMessage } from './stored-rows.ts';

export type SqsOptions = {
  /** 0 takes any free one. */
  readonly port: number;
  /** Folder in which queues and messages outlive the process; without it they are in memory. */
  readonly dataDir?: string;
  /**
   * Leaves messages that were in flight when the last process ended invisible for the rest of their timeout.
   * By default they are visible at once: who received them is gone with that process.
   */
  readonly keepInFlight?: boolean;
};

export type RunningSqs = {
  /** Also the start of every queue URL. */
  readonly url: string;
  close(): Promise<void>;
};

/**
 * Starts the SQS emulator on loopback only.
 *
 * With a data folder, a message that was accepted is there again after any end of the process, until it is
 * deleted; how often it was received stays counted, so the way to a dead-letter queue goes on.
 *
 * @throws Error when the port is in use or another process uses the data folder.
 */
export async function startSqs(options: SqsOptions): Promise<RunningSqs> {
  const { app, store } = await buildEmulator();
  refuseForeignPages(app.server);
  // Requests that come between listening and the end of loading wait here.
  const loaded = Promise.withResolvers<void>();
  app.addHook('onRequest', () => loaded.promise);
  const url = await listen(app, options.port);
  try {
    const database =
      options.dataDir === undefined ? null : openDatabase(store, url, options.dataDir, options);
    loaded.resolve();
    return { url, close: () => close(app, database) };
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

/** Long polls are answered empty first; what they still change is on disk before it is closed. */
async function close(app: EmulatorApp, database: QueueDatabase | null): Promise<void> {
  await app.close();
  database?.close();
}

function openDatabase(
  store: EmulatorStore,
  url: string,
  dataDir: string,
  options: SqsOptions,
): QueueDatabase {
  const database = new QueueDatabase(join(dataDir, 'sqs.sqlite'));
  if (options.keepInFlight !== true) database.releaseAll();
  for (const { name, arn, attributes, tags } of database.queues()) {
    const accountId = arn.split(':')[4];
    store.createQueue(name, `${url}/${accountId}/${name}`, arn, attributes, tags);
  }
  for (const message of database.messages()) putBack(store, message);
  // Only now: the database must not be told of what it has just said.
  Object.assign(store, { persistence: database });
  for (const queue of store.allQueues()) Object.assign(queue, { persistence: database });
  return database;
}

function putBack(store: EmulatorStore, { queue: name, message, inFlight }: StoredMessage): void {
  const queue = store.getQueueByName(name);
  if (inFlight === null) {
    queue?.enqueue(message);
    return;
  }
  const { receiptHandle, visibleAt } = inFlight;
  queue?.inflightMessages.set(receiptHandle, { message, receiptHandle, visibilityDeadline: visibleAt });
}
