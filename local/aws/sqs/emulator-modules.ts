import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { BuildAppOptions } from 'fauxqs';
import { z } from 'zod';

/** The emulator's queues. */
export type EmulatorStore = NonNullable<BuildAppOptions['stores']>['sqsStore'];

/** A queue of the emulator. */
export type EmulatorQueue = ReturnType<EmulatorStore['createQueue']>;

/** One message of a queue. Times are epoch milliseconds. */
export type EmulatorMessage = Parameters<EmulatorQueue['enqueue']>[0];

/** Headers that an action reads: the address of the caller and the region of its credential. */
export type EmulatorHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One action of SQS. Runs to its end, or to the start of a long poll, before it returns. */
export type EmulatorAction = (
  body: unknown,
  store: EmulatorStore,
  request: { readonly headers: EmulatorHeaders },
) => unknown;

const actionNames = [
  'CreateQueue',
  'DeleteQueue',
  'GetQueueUrl',
  'ListQueues',
  'GetQueueAttributes',
  'SetQueueAttributes',
  'PurgeQueue',
  'SendMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'SendMessageBatch',
  'DeleteMessageBatch',
  'ChangeMessageVisibility',
  'ChangeMessageVisibilityBatch',
  'TagQueue',
  'UntagQueue',
  'ListQueueTags',
] as const;

/** A character that SQS refuses in a message, because XML 1.0 excludes it. */
const refusedCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** The emulator's own refusal of a call. */
export const emulatorErrorSchema = z.object({
  name: z.literal('SqsError'),
  code: z.string(),
  message: z.string(),
  statusCode: z.number(),
  /** Value of `x-amzn-query-error`, from which the SDK builds its exception. */
  queryErrorHeader: z.string(),
});

/**
 * Loads the emulator's store and actions from the files beside its public entry, which hides them. The entry would also
 * load servers for SNS and S3, and listens on every interface.
 */
export async function loadEmulator(): Promise<{
  readonly store: EmulatorStore;
  readonly actions: ReadonlyMap<string, EmulatorAction>;
}> {
  const [store, actions] = await Promise.all([
    constructStore(),
    Promise.all(actionNames.map(async (name) => [name, await loadAction(name)] as const)),
    acceptAllOfUnicode(),
  ]);
  // Without a host, the store builds queue URLs from the address that the caller used.
  store.host = '';
  return { store, actions: new Map(actions) };
}

/** The emulator's own pattern refuses each half of a surrogate pair. */
async function acceptAllOfUnicode(): Promise<void> {
  const schema = z.object({ INVALID_MESSAGE_BODY_CHAR: z.instanceof(RegExp) });
  const { INVALID_MESSAGE_BODY_CHAR } = schema.parse(await load('sqs/sqsTypes.js'));
  Object.assign(INVALID_MESSAGE_BODY_CHAR, { test: (body: string) => refusedCharacter.test(body) });
}

async function constructStore(): Promise<EmulatorStore> {
  const classSchema = functionSchema<new () => EmulatorStore>('SqsStore');
  const { SqsStore } = z.object({ SqsStore: classSchema }).parse(await load('sqs/sqsStore.js'));
  return new SqsStore();
}

/** `SendMessage` is the function `sendMessage` of `sendMessage.js`. */
async function loadAction(name: string): Promise<EmulatorAction> {
  const exported = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  const schema = z.record(z.string(), functionSchema<EmulatorAction>(exported));
  const action = schema.parse({ ...Object(await load(`sqs/actions/${exported}.js`)) })[exported];
  if (action === undefined) throw new Error(`The SQS emulator has no ${name}`);
  return action;
}

function functionSchema<T>(name: string): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === 'function', `${name} is not a function`);
}

async function load(file: string): Promise<unknown> {
  const manifest = findPackageJSON('fauxqs', import.meta.url);
  if (manifest === undefined) throw new Error('The SQS emulator fauxqs is not installed: run npm ci');
  return await import(new URL(`dist/${file}`, pathToFileURL(manifest)).href);
}
