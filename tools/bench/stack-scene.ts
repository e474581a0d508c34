import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAddress } from '#shared/aws/client-settings.ts';
import { connectTable, type Table } from '#shared/aws/clients.ts';
import { localEnvironment } from '../local/aws/lambda/function-environment.ts';
import { CustomerClient } from '../local/parties/customer/customer-client.ts';
import { createTables } from '../local/stack/provision.ts';
import { seedCustomers } from '../local/stack/seed.ts';
import { createServiceClient } from '../local/stack/service-client.ts';
import { type RunningStack, startStack } from '../local/stack/start.ts';
import type { TableModel } from '../local/template/data-model.ts';
import type { FunctionModel } from '../local/template/function-model.ts';
import { localRegion } from '../local/template/identities.ts';
import { issueKey } from '../operator/customers/credential-commands.ts';
import { exampleMessage, type MessageChoices } from '../operator/emit/example-messages.ts';

/** A running local stack, to run single functions against it. */
export type StackScene = Awaited<ReturnType<typeof openScene>>;

export async function openScene(parts: AsyncDisposableStack) {
  const stateDir = await temporaryFolder(parts);
  const stack = await startStack({ port: 0, stateDir, stackFile: null, drainMs: 500 });
  parts.defer(() => stack.close());
  const { info, model } = stack;
  const sqs = createServiceClient('sqs', info.endpoints.sqs);
  parts.defer(sqs.close);
  const dynamodb = createServiceClient('dynamodb', info.endpoints.dynamodb);
  parts.defer(dynamodb.close);
  return {
    table: openTable(stack, info.table_name),
    /** Creates another table, by default one like that of the app. */
    createTable: async (TableName: string, other: Omit<TableModel, 'TableName'> | undefined = model.tables[0]) => {
      if (other !== undefined) await createTables(dynamodb.call, [{ ...other, TableName }]);
      return openTable(stack, TableName);
    },
    /** A new customer with its API key. */
    newCustomer: () => newCustomer(stack),
    newKey,
    /** Variables of the function with a folder below `functions/`, as in the template. */
    environmentOf: (folder: string) => environmentOf(stack, folder),
    /** Sends a message of the Run engine. */
    emit: async (type: string, choices: MessageChoices) => {
      const MessageBody = JSON.stringify(exampleMessage(type, choices, Date.now(), randomBytes));
      await sqs.call('SendMessage', { QueueUrl: info.intake_queue_url, MessageBody });
    },
  };
}

/** A folder that is removed with the parts. */
export async function temporaryFolder(parts: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function openTable({ info }: RunningStack, name: string): Table {
  const report: Table['report'] = (event) => {
    throw new Error(`Cannot measure: the table reported ${JSON.stringify(event)}`);
  };
  return connectTable(name, report, localAddress(info.endpoints.dynamodb, localRegion));
}

async function newCustomer({ info }: RunningStack) {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const [seeded] = await seedCustomers(target, ['Customer']);
  if (seeded === undefined) throw new Error('Cannot measure: the customer was not created');
  return { client: new CustomerClient(info, seeded), apiKey: seeded.api_key };
}

/** Another API key of a customer, with its own request limit. */
async function newKey(table: Table, customerId: string): Promise<string> {
  const issued = await issueKey(table)(customerId);
  if (issued === null) throw new Error(`Cannot measure: customer "${customerId}" was not stored`);
  return issued.key;
}

function environmentOf({ info, model }: RunningStack, folder: string) {
  return {
    ...localEnvironment({
      endpoints: info.endpoints,
      trustedOrigins: [info.receiver.origin],
      timeScale: 1,
      issuerOrigin: info.issuer.url,
    }),
    NODE_EXTRA_CA_CERTS: info.receiver.ca_file,
    ...functionIn(model.functions, folder).environment,
  };
}

/** The description of a function ends with its folder. */
function functionIn(functions: readonly FunctionModel[], folder: string): FunctionModel {
  const found = functions.find(({ title }) => title.endsWith(`: ${folder}`));
  if (found === undefined) throw new Error(`Cannot measure "${folder}": the app has no such function`);
  return found;
}
