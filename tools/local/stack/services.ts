import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../../operator/cli/run-program.ts';
import type { RunningService } from '../aws/aws-api.ts';
import { startDynamodb } from '../aws/dynamodb/start-dynamodb.ts';
import { startGateway } from '../aws/gateway/start-gateway.ts';
import { startKms } from '../aws/kms/start-kms.ts';
import { startScheduler } from '../aws/scheduler/start-scheduler.ts';
import { startSqs } from '../aws/sqs/start-sqs.ts';
import { startIssuer } from '../parties/issuer/start-issuer.ts';
import { readAppModel } from '../template/app-model.ts';
import { readCloudAssembly } from '../template/cloud-assembly.ts';
import { allStarted, atExit, step } from './lifecycle.ts';
import { createQueues, createTables } from './provision.ts';
import { type CallService, createServiceClient } from './service-client.ts';
import { dataPath, type StackSettings } from './stack-options.ts';
import { startTestReceiver } from './test-receiver.ts';

/** The services that start without the template, and the model read from the template. */
export type BaseServices = Awaited<ReturnType<typeof startBaseServices>>;

/** The services that start from the names in the template. */
export type TemplateServices = Awaited<ReturnType<typeof startTemplateServices>>;

/** Starts the gateway and the token issuer first: the template contains their addresses, and so their ports. */
export async function startBaseServices(settings: StackSettings, parts: AsyncDisposableStack) {
  const gateway = await startGateway({ port: settings.port, stagePath: settings.stagePath });
  parts.defer(() => gateway.close(0));
  const { url } = gateway;
  const dataFile = dataPath(settings, 'issuer.json');
  const issuer = parts.use(await startIssuer({ port: 0, audience: url, now: Date.now, dataFile }));
  // Its receivers are on this machine, so a network with fixed addresses would change nothing.
  const deployed = { stage: 'local', baseUrl: url, fixedAddresses: '0', notices: 'topic' };
  const context = { ...deployed, tokenIssuer: issuer.url, tokenAudience: url };
  // First: a wrong setting ends the start before anything is built.
  const dynamodb = await step(settings, 'Start DynamoDB', async () =>
    wrapped(settings, parts, 'dynamodb', await startDynamodb({ dataDir: dataPath(settings, 'dynamodb') })),
  );
  const [assembly, sqs, receiver] = await allStarted([
    step(settings, 'Bundle the functions and synthesize the CDK app', () => synthesize(settings, parts, context)),
    step(settings, 'Start SQS', async () =>
      wrapped(settings, parts, 'sqs', await startSqs({ port: 0, dataDir: dataPath(settings, 'sqs') })),
    ),
    step(settings, 'Start the test receiver', async () => parts.use(await startTestReceiver(settings))),
  ]);
  const model = readAppModel(assembly, { sqsUrl: sqs.url });
  return { gateway, issuerUrl: issuer.url, model, receiver, dynamodb, sqs };
}

/** Starts EventBridge Scheduler and KMS, and creates the tables and queues of the template. */
export async function startTemplateServices(settings: StackSettings, parts: AsyncDisposableStack, base: BaseServices) {
  const { model, dynamodb, sqs } = base;
  const [services] = await allStarted([
    step(settings, 'Start Scheduler and KMS', () => openSchedulerAndKms(settings, parts, base)),
    step(settings, 'Create the table', () => createTables(dynamodb.call, model.tables)),
    step(settings, 'Create the queues', () => createQueues(sqs.call, model.queues)),
  ]);
  return services;
}

async function synthesize(
  settings: StackSettings,
  parts: AsyncDisposableStack,
  context: Readonly<Record<string, string>>,
) {
  const outDir = await makeAppDir(settings);
  parts.use(atExit(() => rmSync(outDir, { recursive: true, force: true })));
  await settings.synthesize({ outDir, context, signal: settings.signal });
  return await readCloudAssembly(outDir);
}

/**
 * With a data folder, the app folder is always the same, so that killed stacks leave one folder behind and not one
 * each.
 */
async function makeAppDir(settings: StackSettings): Promise<string> {
  const outDir = dataPath(settings, 'app');
  if (outDir === undefined) return await makeTemporaryFolder();
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir);
  return outDir;
}

async function makeTemporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(path.join(tmpdir(), 'webhooks-local-'));
  } catch (error) {
    const problem = `Cannot make a temporary folder (${messageOf(error)})`;
    throw new Error(`${problem}: set TMPDIR to a folder that you can write to`, { cause: error });
  }
}

/** The stack calls a service within this process, unless a proxy is to see its calls too. */
async function wrapped(
  settings: StackSettings,
  parts: AsyncDisposableStack,
  name: 'dynamodb' | 'sqs',
  service: RunningService & { readonly call: CallService },
): Promise<{ readonly url: string; readonly call: CallService }> {
  parts.use(service);
  const url = await settings.wrapService(name, service.url, service.call);
  if (url === service.url) return service;
  const { call, close } = createServiceClient(name, url);
  parts.defer(close);
  return { url, call };
}

async function openSchedulerAndKms(settings: StackSettings, parts: AsyncDisposableStack, { model, sqs }: BaseServices) {
  const dataFile = dataPath(settings, 'kms.json');
  const kms = parts.use(await startKms({ port: 0, keyArns: model.keyArns, dataFile }));
  const scheduler = parts.use(
    await startScheduler({
      port: 0,
      groups: model.scheduleGroups,
      timeScale: settings.timeScale,
      dataFile: dataPath(settings, 'schedules.sqlite'),
      // A kept schedule has the port that the queues had in an earlier run.
      sendMessage: (input) =>
        sqs.call('SendMessage', { ...input, QueueUrl: sqs.url + new URL(input.QueueUrl).pathname }),
      onError: (error) => settings.onLogLine('scheduler', String(error)),
    }),
  );
  return {
    schedulerUrl: await settings.wrapService('scheduler', scheduler.url),
    scheduleHistoryUrl: scheduler.historyUrl,
    fireNow: scheduler.fireNow,
    kmsUrl: await settings.wrapService('kms', kms.url),
  };
}
