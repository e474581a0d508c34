import path from 'node:path';
import { startDynamodb } from '../aws/dynamodb/start-dynamodb.ts';
import { startKms } from '../aws/kms/start-kms.ts';
import { startScheduler } from '../aws/scheduler/start-scheduler.ts';
import { startSqs } from '../aws/sqs/start-sqs.ts';
import { type RunningIssuer, startIssuer } from '../parties/issuer/start-issuer.ts';
import { type RunningReceiver, startReceiver } from '../parties/receiver/start-receiver.ts';
import { createLocalAuthority, type LocalAuthority } from '../servers/certificates.ts';
import { findQuietPort } from '../servers/quiet-port.ts';
import type { AppModel } from '../template/app-model.ts';
import type { Closers } from './closers.ts';
import { keepReceiverPorts, type ReceiverPorts, receiverPorts } from './receiver-ports.ts';
import type { CallService } from './service-client.ts';
import type { StackSettings } from './stack-options.ts';

export type TestReceiver = RunningReceiver & { readonly authority: LocalAuthority };

/** Origins of the services that know names of the template. */
export type NamedServices = {
  readonly schedulerUrl: string;
  readonly kmsUrl: string;
  readonly scheduleHistoryUrl: string;
};

/** Starts DynamoDB in the place of AWS's; gives its origin. */
export async function startTables(settings: StackSettings, closers: Closers): Promise<string> {
  const running = await startDynamodb({
    ...dataDirOf(settings, 'dynamodb'),
    onUnexpectedEnd: (lastWords) => settings.onFatal(`The DynamoDB emulator ended: ${lastWords}`),
  });
  closers.add(() => running.close());
  return await settings.inFrontOf('dynamodb', running.url);
}

/** Starts SQS in the place of AWS's; gives its origin. */
export async function startQueues(settings: StackSettings, closers: Closers): Promise<string> {
  const running = await startSqs({ port: 0, ...dataDirOf(settings, 'sqs') });
  closers.add(() => running.close());
  return await settings.inFrontOf('sqs', running.url);
}

/** Starts the test receiver, with a certificate that the functions are made to trust. */
export async function startTestReceiver(settings: StackSettings, closers: Closers): Promise<TestReceiver> {
  const authority = await createLocalAuthority(path.resolve(settings.stateDir, 'tls'), new Date());
  const start = (ports: ReceiverPorts) =>
    startReceiver({ tls: authority, port: ports.endpoint, inboxPort: ports.inbox, now: Date.now });
  const wanted = await receiverPorts(settings);
  const running = await start(wanted).catch(async (error: unknown) => {
    if (wanted.endpoint === 0 && wanted.inbox === 0) throw error;
    return start({ endpoint: await findQuietPort(), inbox: await findQuietPort() });
  });
  closers.add(() => running.close());
  await keepReceiverPorts(settings, {
    endpoint: Number(new URL(running.origin).port),
    inbox: Number(new URL(running.inboxUrl).port),
  });
  return { ...running, authority };
}

/** Starts the issuer of access tokens for the API at an address. */
export async function startTokenIssuer(
  settings: StackSettings,
  closers: Closers,
  audience: string,
): Promise<RunningIssuer> {
  const running = await startIssuer({
    port: 0,
    audience,
    now: Date.now,
    ...dataFileOf(settings, 'issuer.json'),
  });
  closers.add(() => running.close());
  return running;
}

/** Starts what has to know names of the template: EventBridge Scheduler and KMS. */
export async function startNamedServices(
  settings: StackSettings,
  closers: Closers,
  {
    model,
    callSqs,
    sqsUrl,
  }: { readonly model: AppModel; readonly callSqs: CallService; readonly sqsUrl: string },
): Promise<NamedServices> {
  const kms = await startKms({ port: 0, keyArns: model.keyArns, ...dataFileOf(settings, 'kms.json') });
  closers.add(() => kms.close());
  const scheduler = await startScheduler({
    port: 0,
    groups: model.scheduleGroups,
    timeScale: settings.timeScale,
    ...dataFileOf(settings, 'schedules.json'),
    sendMessage: (input) =>
      callSqs('SendMessage', { ...input, QueueUrl: currentUrl(sqsUrl, input.QueueUrl) }),
    onError: (_schedule, error) => settings.onLogLine('scheduler', String(error)),
  });
  closers.add(() => scheduler.close());
  return {
    schedulerUrl: await settings.inFrontOf('scheduler', scheduler.url),
    scheduleHistoryUrl: scheduler.historyUrl,
    kmsUrl: await settings.inFrontOf('kms', kms.url),
  };
}

/** A kept schedule names the port that the queues had in an earlier run. */
function currentUrl(sqsUrl: string, queueUrl: string): string {
  return `${sqsUrl}${new URL(queueUrl).pathname}`;
}

function dataDirOf({ dataDir }: StackSettings, name: string): { readonly dataDir?: string } {
  return dataDir === undefined ? {} : { dataDir: path.join(dataDir, name) };
}

function dataFileOf({ dataDir }: StackSettings, name: string): { readonly dataFile?: string } {
  return dataDir === undefined ? {} : { dataFile: path.join(dataDir, name) };
}
