import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { vi } from 'vitest';
import * as z from 'zod';
import { connectQueues } from '#shared/aws/clients.ts';
import type { FunctionFolder } from '#shared/contract/functions.ts';
import { bundleFunctions, defaultBundleFolder, repositoryRoot } from '../../lib/build/bundle.ts';
import { noUnits } from '../../tools/bench/meter/aws-call.ts';
import { AwsMeter } from '../../tools/bench/meter/meter.ts';
import type { PricedCall } from '../../tools/bench/meter/prices.ts';
import { startDynamodb } from '../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { startKms } from '../../tools/local/aws/kms/start-kms.ts';
import { localEnvironment } from '../../tools/local/aws/lambda/function-environment.ts';
import { startScheduler } from '../../tools/local/aws/scheduler/start-scheduler.ts';
import { startSqs } from '../../tools/local/aws/sqs/start-sqs.ts';
import { seedCustomers } from '../../tools/local/stack/seed.ts';
import { createServiceClient } from '../../tools/local/stack/service-client.ts';
import { apiEvent, setEnvironment, settings, startHandlerReceiver } from '../support/aws/aws-functions.ts';
import { createTableInput } from '../support/aws/create-table-input.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { buildSqsEvent, lambdaContext } from '../support/aws/lambda-events.ts';
import { drainQueue, makeQueue } from '../support/aws/queues.ts';
import { scanTable } from '../support/releases/scan-table.ts';
import { startOfTest } from '../support/values/builders.ts';

export type BudgetCustomer = { readonly id: string; readonly api_key: string };

/** The part of Lambda that receives the messages of a queue, invokes its function and deletes what that has done. */
const eventSource = 'event source';

/** One call of a function on AWS, or of Lambda for it. */
export type FunctionCall = PricedCall & {
  readonly folder: FunctionFolder | typeof eventSource;
};

export type ApiCall = {
  readonly method: string;
  /** Path template of the route. */
  readonly route: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
};

const bundle = z.looseObject({
  handler: z.custom<(event: unknown, context: unknown) => Promise<unknown>>((value) => typeof value === 'function'),
});
const answer = z.object({ statusCode: z.number(), body: z.string() });

/** What Lambda does for a batch; no emulator plays it here. */
const batchCalls = (
  [
    ['sqs', 'ReceiveMessage'],
    ['lambda', 'Invoke'],
    ['sqs', 'DeleteMessageBatch'],
  ] as const
).map(([service, name]): FunctionCall => {
  const units = { writeUnits: noUnits, readUnits: noUnits };
  return { folder: eventSource, service, name, ...units, isRefused: false, requests: 1 };
});

export type BudgetWorld = Awaited<ReturnType<typeof openBudgetWorld>>;

/** The bundles of the functions on the emulators, with a meter between them and a clock that only the test moves. */
export async function openBudgetWorld(customerNames: readonly string[]) {
  const parts = new AsyncDisposableStack();
  const meter = parts.use(new AwsMeter());
  const dynamodb = parts.use(await startDynamodb());
  const sqs = parts.use(await startSqs({ port: 0 }));
  // The authority of the receiver is made at the real time, which TLS compares it with.
  const receiver = await startHandlerReceiver();
  parts.defer(() => receiver.close());
  // Also the clock by which reads grow old: a slow machine must not add reads.
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: startOfTest });
  parts.defer(() => void vi.useRealTimers());
  const kms = parts.use(await startKms({ port: 0, keyArns: [settings.SECRETS_KEY_ARN] }));
  const groups = [settings.SCHEDULE_GROUP];
  const scheduler = parts.use(await startScheduler({ port: 0, groups, sendMessage: async () => {} }));

  const table = createServiceClient('dynamodb', dynamodb.url);
  parts.defer(table.close);
  await table.call('CreateTable', createTableInput(settings.TABLE_NAME));
  const queues = connectQueues({ ...localAccess, endpoint: sqs.url });
  parts.defer(() => queues.destroy());
  const queueUrls = await createQueues(queues);
  setEnvironment({
    ...queueUrls,
    SUPPORTED_PLATFORMS: 'tiktok',
    ...localEnvironment({
      endpoints: {
        dynamodb: await meter.inFrontOf('dynamodb', dynamodb.url),
        sqs: await meter.inFrontOf('sqs', sqs.url),
        scheduler: await meter.inFrontOf('scheduler', scheduler.url),
        kms: await meter.inFrontOf('kms', kms.url),
      },
      trustedOrigins: [receiver.origin],
      timeScale: 1,
      issuerOrigin: 'http://127.0.0.1:1',
    }),
  });
  await bundleFunctions();

  const calls: FunctionCall[] = [];
  const invoke = async (folder: FunctionFolder, event: unknown): Promise<unknown> => {
    const file = join(defaultBundleFolder(repositoryRoot), folder, 'index.mjs');
    const { handler } = bundle.parse(await import(pathToFileURL(file).href));

    const result = await handler(event, lambdaContext);
    calls.push(...meter.take().map((call) => ({ ...call, folder })));
    return result;
  };
  const target = { tableName: settings.TABLE_NAME, dynamodbUrl: dynamodb.url };
  return {
    customers: await seedCustomers(target, customerNames),
    /** Origin of an endpoint that answers with the status of `answerWith`. */
    receiverOrigin: receiver.origin,
    answerWith: receiver.answerWith,
    advance: (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds),
    /** Passes a batch to a queue function, which must process every message. */
    process: async (folder: FunctionFolder, bodies: readonly unknown[]): Promise<void> => {
      const result = await invoke(folder, buildSqsEvent(...bodies));
      const none: SQSBatchResponse = { batchItemFailures: [] };
      if (JSON.stringify(result) !== JSON.stringify(none)) {
        throw new Error(`Cannot measure ${folder}: it returned ${JSON.stringify(result)}`);
      }
      calls.push(...batchCalls);
    },
    invoke,
    /** Makes a request. @returns the JSON of its body; it must succeed */
    request: async (
      folder: FunctionFolder,
      { api_key: key }: BudgetCustomer,
      { method, route, ...given }: ApiCall,
    ): Promise<unknown> => {
      const event = apiEvent(method, route, { ...given, key });
      const { statusCode, body } = answer.parse(await invoke(folder, event));
      if (statusCode >= 300) throw new Error(`Cannot measure ${folder}: it answered ${statusCode} ${body}`);
      return body === '' || body.startsWith('<') ? null : JSON.parse(body);
    },
    /** Receives and deletes the messages of the queues. @returns their bodies */
    queued: async (): Promise<readonly string[]> => {
      const bodies: string[] = [];
      for (const url of Object.values(queueUrls))
        bodies.push(...(await drainQueue(queues, url)).map(({ Body = '' }) => Body));
      return bodies;
    },
    rows: () => scanTable(table.call, settings.TABLE_NAME),
    /** Takes the calls of all functions since the last time. */
    calls: (): readonly FunctionCall[] => calls.splice(0),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A queue for each setting that names one. */
async function createQueues(client: SQSClient): Promise<Readonly<Record<string, string>>> {
  const names = Object.keys(settings).flatMap((name) => /^(.*)_QUEUE_URL$/.exec(name)?.[1] ?? []);
  const made = names.map(async (name) => {
    const url = await makeQueue(client, name.toLowerCase().replaceAll('_', '-'));
    return [`${name}_QUEUE_URL`, url] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}
