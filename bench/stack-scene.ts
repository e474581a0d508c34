import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, makeApiKey } from '#shared/auth/api-key.ts';
import { connectTable, type Table } from '#shared/aws/clients.ts';
import { storeApiKey } from '#shared/aws/table/customers.ts';
import { issueApiKey } from '#shared/operations/operator/issue-api-key.ts';
import { localEnvironment } from '../local/aws/lambda/function-environment.ts';
import { CustomerClient } from '../local/parties/customer/customer-client.ts';
import { seedCustomers } from '../local/stack/seed.ts';
import { type CallService, createServiceClient } from '../local/stack/service-client.ts';
import { type RunningStack, startStack } from '../local/stack/start.ts';
import type { FunctionModel } from '../local/template/function-model.ts';
import { localRegion } from '../local/template/identities.ts';
import { exampleMessage, type MessageChoices } from '../operator/example-messages.ts';

/** A running local stack, to run single functions against it. */
export type StackScene = {
  readonly stack: RunningStack;
  readonly table: Table;
  readonly callSqs: CallService;
  /** A new customer with its API key. */
  readonly newCustomer: () => Promise<{ readonly client: CustomerClient; readonly apiKey: string }>;
  /** Another API key of a customer, with its own request limit. */
  readonly newKey: (customerId: string) => Promise<string>;
  /** Variables of the function with a folder below `functions/`. */
  readonly environmentOf: (folder: string) => Readonly<Record<string, string>>;
  /** Sends a message of the Run engine. */
  readonly emit: (type: string, choices: MessageChoices) => Promise<void>;
};

/** @param trustedOrigins receivers besides the stack's own */
export async function openScene(
  parts: AsyncDisposableStack,
  {
    trustedOrigins = [],
    stateDir,
  }: { readonly trustedOrigins?: readonly string[]; readonly stateDir?: string } = {},
): Promise<StackScene> {
  const folder = stateDir ?? (await temporaryFolder(parts));
  const stack = await startStack({
    port: 0,
    stateDir: folder,
    stackFile: null,
    trustedOrigins,
    drainMs: 500,
  });
  parts.defer(() => stack.close());
  const { info } = stack;
  const { call: callSqs, close } = createServiceClient('sqs', info.endpoints.sqs);
  parts.defer(close);
  const table = connectTable(info.table_name, () => {}, {
    endpoint: info.endpoints.dynamodb,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return {
    stack,
    callSqs,
    table,
    newCustomer: () => newCustomer(stack),
    newKey: (customerId) => newKey(table, customerId),
    environmentOf: (folder) => environmentOf(stack, folder, trustedOrigins),
    emit: async (type, choices) => {
      const MessageBody = JSON.stringify(exampleMessage(type, choices, Date.now(), randomBytes));
      await callSqs('SendMessage', { QueueUrl: info.intake_queue_url, MessageBody });
    },
  };
}

/** A folder that is removed with the parts. */
export async function temporaryFolder(parts: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function newCustomer({ info }: RunningStack) {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const [seeded] = await seedCustomers(target, ['Customer']);
  if (seeded === undefined) throw new Error('Cannot measure: the customer was not created');
  return { client: new CustomerClient(info, seeded), apiKey: seeded.api_key };
}

async function newKey(table: Table, customerId: string): Promise<string> {
  const makers = { now: Date.now, randomBytes, makeKey: makeApiKey, hashKey: hashApiKey };
  const issued = await issueApiKey({ ...makers, storeApiKey: storeApiKey(table) })(customerId);
  if (issued === null) throw new Error(`Cannot measure: customer "${customerId}" was not stored`);
  return issued.key;
}

function environmentOf({ info, model }: RunningStack, folder: string, trustedOrigins: readonly string[]) {
  const found = functionIn(model.functions, folder);
  return {
    ...localEnvironment({
      endpoints: info.endpoints,
      trustedOrigins: [...trustedOrigins, info.receiver.origin],
      timeScale: 1,
      issuerOrigin: info.issuer.url,
    }),
    NODE_EXTRA_CA_CERTS: info.receiver.ca_file,
    ...found.environment,
  };
}

/** The description of a function ends with its folder. */
function functionIn(functions: readonly FunctionModel[], folder: string): FunctionModel {
  const found = functions.find(({ title }) => title.endsWith(`: ${folder}`));
  if (found === undefined) throw new Error(`Cannot measure "${folder}": the app has no such function`);
  return found;
}
