import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dataStackOutputs, nameInStackFile, operatorFunctionsOutput } from '#shared/contract/deployment.ts';
import { localEnvironment } from '../aws/lambda/function-environment.ts';
import type { AppModel } from '../template/app-model.ts';
import { localRegion } from '../template/identities.ts';
import { keep, readKept } from './kept-file.ts';
import { atExit, starting, step } from './lifecycle.ts';
import { runApp } from './run-app.ts';
import { type BaseServices, startBaseServices, startTemplateServices, type TemplateServices } from './services.ts';
import { type SeededCustomer, type StackFile, stackFileSchema } from './stack-file.ts';
import { claimDataDir, claimStackFile } from './stack-folders.ts';
import { dataPath, type StackOptions, type StackSettings, settingsOf } from './stack-options.ts';

export type RunningStack = {
  /** The content of the stack file, even if none was written. */
  readonly info: StackFile;
  readonly model: AppModel;
  /** `GET` lists every retry schedule that was created, with the time it fired. */
  readonly scheduleHistoryUrl: string;
  /** Loads every function now. Without it, each loads on its first invocation. */
  readonly warmUp: () => Promise<void>;
  /** Ends all parts in order, after requests and batches in flight. */
  readonly close: () => Promise<void>;
};

/** Names of the customers that every stack starts with. */
const customerNames = ['First customer', 'Second customer'];

/**
 * Synthesizes the CDK app and runs it on this machine.
 *
 * @throws Error with the next step when the port is in use, or a setting is wrong; ends every part that it started
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const settings = settingsOf(options);
  const stack = await starting((parts) => start(settings, parts));
  return { ...stack, close: async () => await stack[Symbol.asyncDispose]() };
}

async function start(settings: StackSettings, parts: AsyncDisposableStack): Promise<Omit<RunningStack, 'close'>> {
  const { stackFile, trustedOrigins, timeScale, nameServers, idleTimeout } = settings;
  await claimPlaces(settings, parts);
  const base = await startBaseServices(settings, parts);
  const services = await startTemplateServices(settings, parts, base);
  const info = describe(settings, base, services, await openCustomers(settings, base));
  const environment = localEnvironment({
    endpoints: info.endpoints,
    trustedOrigins: [...trustedOrigins, base.receiver.origin, ...info.listen.origins],
    timeScale,
    nameServers,
    idleTimeout,
    issuerOrigin: base.issuerUrl,
  });
  const warmUp = runApp(settings, parts, { ...base, ...services }, environment);
  if (stackFile !== null) {
    parts.use(atExit(() => rmSync(stackFile, { force: true })));
    await keep(stackFile, info);
  }
  return { info, model: base.model, warmUp, scheduleHistoryUrl: services.scheduleHistoryUrl };
}

/** Fails early, before anything is built, when another stack uses the folders. */
async function claimPlaces({ dataDir, stackFile }: StackSettings, parts: AsyncDisposableStack): Promise<void> {
  if (dataDir !== undefined) parts.use(atExit(await claimDataDir(dataDir)));
  if (stackFile === null) return;
  parts.use(atExit(await claimStackFile(stackFile)));
  // A killed stack left it behind; nothing answers at its addresses.
  await rm(stackFile, { force: true });
}

/** Kept customers come from a file with their keys: the table stores only hashes of keys. */
function openCustomers(settings: StackSettings, { model, dynamodb }: BaseServices): Promise<readonly SeededCustomer[]> {
  return step(settings, 'Create two customers', async () => {
    const file = dataPath(settings, 'customers.json');
    const kept = await readKept(file, stackFileSchema.shape.customers.min(1));
    if (kept !== undefined) return kept;
    const made = await settings.seed(
      { tableName: model.output('TableName'), dynamodbUrl: dynamodb.url },
      customerNames,
    );
    await keep(file, made);
    return made;
  });
}

function describe(
  { listenPorts }: StackSettings,
  { gateway, model, receiver, dynamodb, sqs, issuerUrl }: BaseServices,
  { schedulerUrl, kmsUrl }: TemplateServices,
  customers: readonly SeededCustomer[],
): StackFile {
  const resources = Object.values(dataStackOutputs).map((output) => [nameInStackFile(output), model.output(output)]);
  return stackFileSchema.parse({
    ...Object.fromEntries(resources),
    api_url: gateway.url,
    docs_url: model.output('DocsUrl'),
    region: localRegion,
    endpoints: {
      ...{ dynamodb: dynamodb.url, sqs: sqs.url, scheduler: schedulerUrl, kms: kmsUrl },
      lambda: `${gateway.url}/local`,
    },
    operator_functions: model.output(operatorFunctionsOutput),
    customers: [...customers],
    receiver: {
      origin: receiver.origin,
      inbox_url: receiver.inboxUrl,
      ca_file: receiver.certificate.caFile,
    },
    listen: {
      origins: listenPorts.map((port) => `https://localhost:${port}`),
      cert_file: receiver.certificate.certFile,
      key_file: receiver.certificate.keyFile,
    },
    issuer: { url: issuerUrl, audience: gateway.url },
  });
}
