import { clientSettings } from '#shared/aws/client-settings.ts';
import { startDynamodb } from '../../../local/aws/dynamodb/start-dynamodb.ts';
import { startSqs } from '../../../local/aws/sqs/start-sqs.ts';

/** Settings for a client of an emulator. */
export type EmulatorConfig = {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly requestHandler: object;
};

export type Emulator = { readonly config: EmulatorConfig; close(): Promise<void> };

export async function startDynamodbEmulator(): Promise<Emulator> {
  const running = await startDynamodb();
  return { config: configFor(running.url), close: async () => await running[Symbol.asyncDispose]() };
}

export async function startSqsEmulator(): Promise<Emulator> {
  const running = await startSqs({ port: 0 });
  return { config: configFor(running.url), close: async () => await running[Symbol.asyncDispose]() };
}

/** What an emulator accepts. */
export const localAccess = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/** On a busy machine a client would repeat what the emulator has done. */
const patient = {
  requestHandler: { ...clientSettings.requestHandler, connectionTimeout: 0, socketTimeout: 0 },
};

function configFor(endpoint: string): EmulatorConfig {
  return { ...localAccess, ...patient, endpoint };
}
