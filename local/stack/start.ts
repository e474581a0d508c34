import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findDynamodb } from '../aws/dynamodb/start-dynamodb.ts';
import { type RunningGateway, startGateway } from '../aws/gateway/start-gateway.ts';
import { localEnvironment } from '../aws/lambda/function-environment.ts';
import { parseTrustedOrigin } from '../servers/trusted-origin.ts';
import { type AppModel, readAppModel } from '../template/app-model.ts';
import { type CloudAssembly, readCloudAssembly } from '../template/cloud-assembly.ts';
import { localRegion } from '../template/identities.ts';
import { Closers } from './closers.ts';
import { keepCustomers, type SeededCustomer } from './customer-keys.ts';
import {
  type NamedServices,
  startNamedServices,
  startQueues,
  startTables,
  startTestReceiver,
  startTokenIssuer,
  type TestReceiver,
} from './emulators.ts';
import { createQueues, createTables } from './provision.ts';
import { runApp } from './run-app.ts';
import { type CallService, createServiceClient } from './service-client.ts';
import { defaultStateDir, type StackFile, writeStackFile } from './stack-file.ts';
import { claimDataDir, claimStackFile } from './stack-folders.ts';
import type { StackOptions, StackSettings } from './stack-options.ts';
import { synthesizeApp } from './synthesize-app.ts';

export type RunningStack = {
  /** What the stack file says, whether or not one was written. */
  readonly info: StackFile;
  readonly model: AppModel;
  /** `GET` answers every retry schedule that was created, with the time it fired. */
  readonly scheduleHistoryUrl: string;
  /** Resolves when every function is loaded; until then the first call of one takes longer. */
  readonly warm: Promise<void>;
  /** Ends everything in order, requests and batches in flight first. */
  readonly close: () => Promise<void>;
};

/** Names of the customers that every stack starts with. */
const customerNames = ['First customer', 'Second customer'];

/**
 * Synthesizes the CDK app and runs it on this machine.
 *
 * @throws Error that says what to do, when the port is taken, the system has no emulator, or a setting is wrong;
 *   whatever was started until then is ended
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const settings = settingsOf(options);
  const closers = new Closers();
  try {
    return await start(settings, closers);
  } catch (error) {
    await closers.close().catch(() => undefined);
    throw error;
  }
}

function settingsOf(options: StackOptions): StackSettings {
  const stateDir = options.stateDir ?? defaultStateDir;
  return {
    port: options.port,
    receiverPorts: options.receiverPorts ?? { endpoint: 0, inbox: 0 },
    timeScale: options.timeScale ?? 1,
    dataDir: options.dataDir === undefined ? undefined : path.resolve(options.dataDir),
    trustedOrigins: (options.trustedOrigins ?? []).map(parseTrustedOrigin),
    stateDir,
    stackFile: options.stackFile === undefined ? path.join(stateDir, 'stack.json') : options.stackFile,
    drainMs: options.drainMs ?? 15_000,
    signal: options.signal ?? new AbortController().signal,
    onStep: options.onStep ?? (() => undefined),
    onLogLine: options.onLogLine ?? (() => undefined),
    onFatal: options.onFatal ?? (() => undefined),
    synthesize: options.synthesize ?? synthesizeApp,
    inFrontOf: options.inFrontOf ?? (async (_service, url) => url),
    seed: options.seed ?? seedThroughOperations(),
  };
}

/** The AWS SDK takes its time to load; that passes while the app is synthesized. */
function seedThroughOperations(): StackSettings['seed'] {
  const loading = import('./seed.ts');
  // A start that ends early never asks for it.
  loading.catch(() => undefined);
  return async (target, names) => (await loading).seedCustomers(target, names);
}

/** What runs before anything of the app does. */
type Ground = {
  readonly gateway: RunningGateway;
  readonly issuerUrl: string;
  readonly model: AppModel;
  readonly receiver: TestReceiver;
  readonly dynamodbUrl: string;
  readonly sqsUrl: string;
  readonly callSqs: CallService;
};

async function start(settings: StackSettings, closers: Closers): Promise<RunningStack> {
  await claimPlaces(settings, closers);
  const ground = await startGround(settings, closers);
  const { gateway, model, receiver, callSqs } = ground;
  const services = await startServices(settings, closers, ground);
  const customers = await keptCustomers(settings, ground);
  const info = describe(ground, services, customers);
  const { warm } = runApp(settings, closers, {
    model,
    environment: localEnvironment({
      endpoints: info.endpoints,
      trustedOrigins: [...settings.trustedOrigins, receiver.origin],
      timeScale: settings.timeScale,
      issuerOrigin: ground.issuerUrl,
    }),
    extraCertificates: [receiver.authority.ca],
    callSqs,
    gateway,
  });
  await publish(settings, closers, info);
  return {
    info,
    model,
    warm,
    scheduleHistoryUrl: services.scheduleHistoryUrl,
    close: () => closers.close(),
  };
}

/** What cannot work is said before anything is built: a system without an emulator, folders that others use. */
async function claimPlaces({ dataDir, stackFile }: StackSettings, closers: Closers): Promise<void> {
  await findDynamodb();
  if (dataDir !== undefined) closers.addRelease(await claimDataDir(dataDir));
  if (stackFile === null) return;
  closers.addRelease(await claimStackFile(stackFile));
  // Of a stack that was killed: nothing answers where it points.
  await rm(stackFile, { force: true });
}

/** The gateway and the token issuer listen first: their ports are part of the addresses in the template. */
async function startGround(settings: StackSettings, closers: Closers): Promise<Ground> {
  const gateway = await startGateway({ port: settings.port });
  closers.add(() => gateway.close(0));
  const issuer = await startTokenIssuer(settings, closers, gateway.url);
  const [assembly, dynamodbUrl, sqsUrl, receiver] = await allStarted([
    step(settings, 'Bundle the functions and synthesize the CDK app', () =>
      synthesize(settings, closers, {
        baseUrl: gateway.url,
        tokenIssuer: issuer.url,
        tokenAudience: gateway.url,
      }),
    ),
    step(settings, 'Start DynamoDB', () => startTables(settings, closers)),
    step(settings, 'Start SQS', () => startQueues(settings, closers)),
    step(settings, 'Start the test receiver', () => startTestReceiver(settings, closers)),
  ]);
  return {
    gateway,
    issuerUrl: issuer.url,
    model: readAppModel(assembly, { sqsUrl }),
    receiver,
    dynamodbUrl,
    sqsUrl,
    callSqs: openClient('sqs', sqsUrl, closers),
  };
}

async function synthesize(
  settings: StackSettings,
  closers: Closers,
  context: Readonly<Record<string, string>>,
): Promise<CloudAssembly> {
  const outDir = await makeAppDir(settings);
  closers.addRemoval(outDir);
  await settings.synthesize({ outDir, context: { stage: 'local', ...context }, signal: settings.signal });
  return await readCloudAssembly(outDir);
}

/** Beside kept data it has one place, so that a stack which is killed again and again leaves one behind, not many. */
async function makeAppDir({ dataDir }: StackSettings): Promise<string> {
  if (dataDir === undefined) return await mkdtemp(path.join(tmpdir(), 'webhooks-local-'));
  const outDir = path.join(dataDir, 'app');
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir);
  return outDir;
}

async function startServices(
  settings: StackSettings,
  closers: Closers,
  ground: Ground,
): Promise<NamedServices> {
  const callDynamodb = openClient('dynamodb', ground.dynamodbUrl, closers);
  const [services] = await allStarted([
    step(settings, 'Start Scheduler and KMS', () => startNamedServices(settings, closers, ground)),
    step(settings, 'Create the table', () => createTables(callDynamodb, ground.model.tables)),
    step(settings, 'Create the queues', () => createQueues(ground.callSqs, ground.model.queues)),
  ]);
  return services;
}

function keptCustomers(settings: StackSettings, ground: Ground): Promise<readonly SeededCustomer[]> {
  const target = { tableName: ground.model.output('TableName'), dynamodbUrl: ground.dynamodbUrl };
  return step(settings, 'Create two customers', () =>
    keepCustomers(settings.dataDir, () => settings.seed(target, customerNames)),
  );
}

function describe(ground: Ground, services: NamedServices, customers: readonly SeededCustomer[]): StackFile {
  const { gateway, model, receiver } = ground;
  return {
    api_url: gateway.url,
    docs_url: model.output('DocsUrl'),
    region: localRegion,
    table_name: model.output('TableName'),
    intake_queue_url: model.output('IntakeQueueUrl'),
    delivery_queue_url: model.output('DeliveryQueueUrl'),
    intake_dead_letter_queue_url: model.output('IntakeDeadLetterQueueUrl'),
    delivery_dead_letter_queue_url: model.output('DeliveryDeadLetterQueueUrl'),
    endpoints: {
      dynamodb: ground.dynamodbUrl,
      sqs: ground.sqsUrl,
      scheduler: services.schedulerUrl,
      kms: services.kmsUrl,
    },
    customers: [...customers],
    receiver: {
      origin: receiver.origin,
      inbox_url: receiver.inboxUrl,
      ca_file: receiver.authority.caFile,
    },
    issuer: { url: ground.issuerUrl, audience: gateway.url },
  };
}

async function publish({ stackFile }: StackSettings, closers: Closers, info: StackFile): Promise<void> {
  if (stackFile === null) return;
  closers.addRemoval(stackFile);
  await writeStackFile(stackFile, info);
}

function openClient(service: 'dynamodb' | 'sqs', url: string, closers: Closers): CallService {
  const { call, close } = createServiceClient(service, url);
  closers.add(async () => close());
  return call;
}

async function step<Result>(
  { onStep, signal }: StackSettings,
  name: string,
  run: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const result = await run();
  onStep(name, performance.now() - startedAt);
  return result;
}

/** Like `Promise.all`, but waits for all of them also when one fails, so that whatever was started can be ended. */
async function allStarted<const Parts extends readonly Promise<unknown>[]>(parts: Parts) {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}
