import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDynamodb } from '../aws/dynamodb/start-dynamodb.ts';
import { type RunningGateway, startGateway } from '../aws/gateway/start-gateway.ts';
import { startSqs } from '../aws/sqs/start-sqs.ts';
import { startIssuer } from '../parties/issuer/start-issuer.ts';
import { type AppModel, readAppModel } from '../template/app-model.ts';
import { type CloudAssembly, readCloudAssembly } from '../template/cloud-assembly.ts';
import { allStarted, atExit, starting, step } from './lifecycle.ts';
import { type CallService, createServiceClient } from './service-client.ts';
import { dataPath, type StackSettings } from './stack-options.ts';
import { startTestReceiver, type TestReceiver } from './test-receiver.ts';

/** The services that start without the template, and the model read from the template. */
export type BaseServices = {
  readonly gateway: RunningGateway;
  readonly issuerUrl: string;
  readonly model: AppModel;
  readonly receiver: TestReceiver;
  readonly dynamodbUrl: string;
  readonly sqsUrl: string;
  readonly callSqs: CallService;
};

/** Starts the gateway and the token issuer first: the template contains their addresses, and so their ports. */
export function startBaseServices(settings: StackSettings): Promise<BaseServices & AsyncDisposable> {
  return starting(async (parts) => {
    const gateway = await startGateway({ port: settings.port, stagePath: settings.stagePath });
    parts.defer(() => gateway.close(0));
    const issuer = parts.use(
      await startIssuer({
        port: 0,
        audience: gateway.url,
        now: Date.now,
        dataFile: dataPath(settings, 'issuer.json'),
      }),
    );
    const [assembly, dynamodbUrl, sqs, receiver] = await allStarted([
      step(settings, 'Bundle the functions and synthesize the CDK app', () =>
        synthesize(settings, parts, {
          baseUrl: gateway.url,
          tokenIssuer: issuer.url,
          tokenAudience: gateway.url,
        }),
      ),
      step(settings, 'Start DynamoDB', async () => {
        const dataDir = dataPath(settings, 'dynamodb');
        const onUnexpectedEnd = (output: string) =>
          settings.onFatal(`The DynamoDB emulator ended: ${output}`);
        const { url } = parts.use(await startDynamodb({ dataDir, onUnexpectedEnd }));
        return await settings.wrapService('dynamodb', url);
      }),
      step(settings, 'Start SQS', () => openSqs(settings, parts)),
      step(settings, 'Start the test receiver', async () => parts.use(await startTestReceiver(settings))),
    ]);
    return {
      gateway,
      issuerUrl: issuer.url,
      model: readAppModel(assembly, { sqsUrl: sqs.url }),
      receiver,
      dynamodbUrl,
      sqsUrl: sqs.url,
      callSqs: sqs.call,
    };
  });
}

/** The stack calls SQS within this process, unless a proxy is to see its calls too. */
async function openSqs(
  settings: StackSettings,
  parts: AsyncDisposableStack,
): Promise<{ readonly url: string; readonly call: CallService }> {
  const sqs = parts.use(await startSqs({ port: 0, dataDir: dataPath(settings, 'sqs') }));
  const url = await settings.wrapService('sqs', sqs.url);
  if (url === sqs.url) return sqs;
  const { call, close } = createServiceClient('sqs', url);
  parts.defer(close);
  return { url, call };
}

async function synthesize(
  settings: StackSettings,
  parts: AsyncDisposableStack,
  context: Readonly<Record<string, string>>,
): Promise<CloudAssembly> {
  const outDir = await makeAppDir(settings);
  parts.use(atExit(() => rmSync(outDir, { recursive: true, force: true })));
  await settings.synthesize({ outDir, context: { stage: 'local', ...context }, signal: settings.signal });
  return await readCloudAssembly(outDir);
}

/**
 * With a data folder, the app folder is always the same, so that killed stacks leave one folder behind and not one
 * each.
 */
async function makeAppDir(settings: StackSettings): Promise<string> {
  const outDir = dataPath(settings, 'app');
  if (outDir === undefined) return await mkdtemp(path.join(tmpdir(), 'webhooks-local-'));
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir);
  return outDir;
}
