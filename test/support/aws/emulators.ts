import { clientSettings, localCredentials } from '#shared/aws/client-settings.ts';
import type { RunningService } from '../../../tools/local/aws/aws-api.ts';
import { startDynamodb } from '../../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { startSqs } from '../../../tools/local/aws/sqs/start-sqs.ts';

/** Where these tests find Dynoxide, if they run on that implementation of DynamoDB. */
const reference = process.env.ON_DYNOXIDE;

/** Settings for a client of an emulator. */
export type EmulatorConfig = typeof localAccess & { readonly endpoint: string };

export type Emulator = { readonly config: EmulatorConfig; close(): Promise<void> };

/** The one of the local stack, or the reference that it is compared with. */
export const startDynamodbEmulator = async (
  start: () => Promise<RunningService> = reference === undefined ? startDynamodb : runningAt(reference),
) => emulator(await start());

const runningAt = (url: string) => async () => ({ url, [Symbol.asyncDispose]: async () => {} });

export const startSqsEmulator = async () => emulator(await startSqs({ port: 0 }));

/**
 * What an emulator accepts. Without time limits: on a busy machine a client would repeat a request that is being
 * answered, and count it twice.
 */
export const localAccess = {
  region: 'us-east-1',
  credentials: localCredentials,
  requestHandler: { ...clientSettings().requestHandler, connectionTimeout: 0, socketTimeout: 0 },
};

function emulator(running: AsyncDisposable & { readonly url: string }): Emulator {
  const config = { ...localAccess, endpoint: running.url };
  return { config, close: async () => await running[Symbol.asyncDispose]() };
}
