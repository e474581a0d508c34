import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type BuildAppOptions, buildApp } from 'fauxqs';
import { z } from 'zod';

type Stores = NonNullable<BuildAppOptions['stores']>;

/** The emulator's queues. */
export type EmulatorStore = Stores['sqsStore'];

/** A queue of the emulator. */
export type EmulatorQueue = ReturnType<EmulatorStore['createQueue']>;

/** One message of a queue. Times are epoch milliseconds. */
export type EmulatorMessage = Parameters<EmulatorQueue['enqueue']>[0];

export type EmulatorApp = ReturnType<typeof buildApp>;

/** A character that SQS refuses in a message, because XML 1.0 excludes it. */
const refusedCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/**
 * Builds the emulator's server with access to its store. The package's public entry hides the store, and its start
 * function listens on every interface, so this loads the classes from the files beside that entry.
 */
export async function buildEmulator(): Promise<{ app: EmulatorApp; store: EmulatorStore }> {
  const sqsStore = await construct<EmulatorStore>('sqs/sqsStore.js', 'SqsStore');
  const snsStore = await construct<Stores['snsStore']>('sns/snsStore.js', 'SnsStore');
  const s3Store = await construct<Stores['s3Store']>('s3/s3Store.js', 'S3Store');
  await acceptAllOfUnicode();
  // Without a host, the store builds queue URLs from the address that the caller used.
  sqsStore.host = '';
  return { app: buildApp({ logger: false, stores: { sqsStore, snsStore, s3Store } }), store: sqsStore };
}

/** The emulator's own pattern refuses each half of a surrogate pair. */
async function acceptAllOfUnicode(): Promise<void> {
  const schema = z.object({ INVALID_MESSAGE_BODY_CHAR: z.instanceof(RegExp) });
  const { INVALID_MESSAGE_BODY_CHAR } = schema.parse(await load('sqs/sqsTypes.js'));
  Object.assign(INVALID_MESSAGE_BODY_CHAR, { test: (body: string) => refusedCharacter.test(body) });
}

async function construct<T>(file: string, name: string): Promise<T> {
  const classSchema = z.custom<new () => T>((value) => typeof value === 'function', `${name} is not a class`);
  const Class = z.object({ [name]: classSchema }).parse(await load(file))[name];
  if (Class === undefined) throw new Error(`The SQS emulator has no ${name}`);
  return new Class();
}

async function load(file: string): Promise<unknown> {
  const manifest = findPackageJSON('fauxqs', import.meta.url);
  if (manifest === undefined) throw new Error('The SQS emulator fauxqs is not installed: run npm ci');
  return await import(new URL(`dist/${file}`, pathToFileURL(manifest)).href);
}
