import { clientSettings } from '#shared/aws/client-settings.ts';
import type { RunningService } from '../../../tools/local/aws/aws-api.ts';
import { startDynamodb } from '../../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { startSqs } from '../../../tools/local/aws/sqs/start-sqs.ts';
import { startDynoxide } from './dynoxide.ts';

/** Whether these tests run on Dynoxide, another implementation of DynamoDB. */
const isOnReference = process.env.ON_DYNOXIDE !== undefined;

/** Settings for a client of an emulator. */
export type EmulatorConfig = typeof localAccess & { readonly endpoint: string };

export type Emulator = { readonly config: EmulatorConfig; close(): Promise<void> };

/** The one of the local stack, or the reference that it is compared with. */
export const startDynamodbEmulator = async (
  start: () => Promise<RunningService> = isOnReference ? startDynoxide : startDynamodb,
) => emulator(await start());
export const startSqsEmulator = async () => emulator(await startSqs({ port: 0 }));

/**
 * What an emulator accepts. Without time limits: on a busy machine a client would repeat a request that is being
 * answered, and count it twice.
 */
export const localAccess = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  requestHandler: { ...clientSettings.requestHandler, connectionTimeout: 0, socketTimeout: 0 },
};

function emulator(running: AsyncDisposable & { readonly url: string }): Emulator {
  const config = { ...localAccess, endpoint: running.url };
  return { config, close: async () => await running[Symbol.asyncDispose]() };
}
