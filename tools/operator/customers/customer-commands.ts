import type { Command } from 'commander';
import {
  readApiKeys,
  readCustomer,
  readCustomers,
  renameCustomer,
  storeCustomer,
} from '#shared/aws/table/credentials/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints/endpoints.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { factLines, plainText, recordTable } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import { addDeleteCustomerCommand } from './delete-customer-command.ts';

type One = { readonly customer: string };
type Names = { readonly name?: string; readonly publicName?: string };

export function addCustomerCommands(customers: Command): void {
  onTarget(customers.command('create'), 'Create a customer')
    .option('--name <text>', 'your name for the customer, which the lists show and the customer never sees')
    .option('--public-name <text>', 'the name that the customer sees in the console (default: its id)')
    .action(invoke(create));
  onTarget(customers.command('list'), 'List all customers, newest first').action(invoke(list));
  onTarget(customers.command('show'), 'Show a customer, with the number of its endpoints and keys')
    .requiredOption('--customer <id>', 'id of the customer')
    .action(invoke(showOne));
  onTarget(customers.command('rename'), 'Change your name for a customer, or its public name')
    .requiredOption('--customer <id>', 'id of the customer')
    .option('--name <text>', 'your new name for the customer, which the lists show')
    .option('--public-name <text>', 'the new name that the customer sees; an empty text removes it')
    .action(invoke(rename));
  addDeleteCustomerCommand(customers.command('delete'));
}

async function create({ options, open, next, show }: Invocation<Names>): Promise<void> {
  const name = (options.name ?? '').trim();
  if (name === '') {
    throw new UsageError('A customer needs a name, which the lists show: add --name "First customer"');
  }
  const { table } = await open();
  const ports = { now, randomBytes, storeCustomer: storeCustomer(table) };
  const customer = await createCustomer(ports)(name, options.publicName?.trim());
  show(present(customer), [
    `Customer ${customer.id}`,
    `Next: ${next(`keys issue --customer ${customer.id}`)}`,
  ]);
}

async function list({ open, next, show }: Invocation): Promise<void> {
  const customers = (await readCustomers((await open()).table)()).map(present);
  const none = `No customers yet. Create one with: ${next('customers create --name <text>')}`;
  const table = recordTable(customers, { ID: 'id', NAME: 'name', CREATED: 'created_at' });
  show(customers, customers.length === 0 ? [none] : table);
}

async function showOne({ options: { customer: id }, open, next, show }: Invocation<One>): Promise<void> {
  const { table } = await open();
  const customer = await readCustomer(table)(id);
  if (customer === null) throw noCustomer(next, id);
  const [endpoints, keys] = await Promise.all([listListeners(table)(id), readApiKeys(table)(id)]);
  const active = endpoints.filter(({ status }) => status === 'active').length;
  const valid = keys.filter(({ revokedAt }) => revokedAt === null).length;
  const [failed, revoked] = [endpoints.length - active, keys.length - valid];
  const shown = { ...present(customer), endpoints: { active, failed }, api_keys: { valid, revoked } };
  const facts = {
    Name: customer.name,
    'Public name': shownName(customer),
    Created: shown.created_at,
    Endpoints: `${active} active, ${failed} failed`,
    'API keys': `${valid} valid, ${revoked} revoked`,
  };
  const webhooks = next(`webhooks list --customer ${id}`);
  show(shown, [`Customer ${id}`, ...factLines(facts, 14), `Next: ${webhooks}`]);
}

async function rename({ options, open, next, show }: Invocation<One & Names>): Promise<void> {
  const name = options.name?.trim();
  const publicName = options.publicName?.trim();
  if (name === '')
    throw new UsageError('The new name is empty: give a text, such as --name "First customer"');
  if (name === undefined && publicName === undefined)
    throw new UsageError('There is no new name: add --name or --public-name, with a text');
  const { table } = await open();
  const isRenamed = await renameCustomer(table)(options.customer, { name, publicName });
  const customer = isRenamed ? await readCustomer(table)(options.customer) : null;
  if (customer === null) throw noCustomer(next, options.customer);
  show(present(customer), [
    `Customer ${customer.id} is now named ${plainText(customer.name)}, and sees ${shownName(customer)}`,
    `Next: ${next('customers list')}`,
  ]);
}

/** What the customer sees in the console. */
function shownName({ publicName = '' }: Customer): string {
  return publicName === '' ? 'its id' : plainText(publicName);
}

function present({ id, name, publicName = '', createdAt }: Customer) {
  return { id, name, public_name: publicName === '' ? null : publicName, created_at: timestamp(createdAt) };
}
