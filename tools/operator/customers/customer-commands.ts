import type { Command } from 'commander';
import {
  readApiKeys,
  readCustomer,
  readCustomers,
  renameCustomer as renameRows,
  storeCustomer,
} from '#shared/aws/table/credentials/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints/endpoints.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { renameCustomer } from '#shared/operations/operator/rename-customer.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { type Output, type OutputOptions, show } from '../cli/output.ts';
import { noCustomer } from '../cli/place-options.ts';
import { nextCommand, onTarget, openTarget, type TargetOptions } from '../cli/target.ts';
import { factLines, plainText, recordTable } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import { addDeleteCustomerCommand } from './delete-customer-command.ts';

type Options = TargetOptions & OutputOptions;
type OneOptions = Options & { readonly customer: string };
type Names = { readonly name?: string; readonly publicName?: string };

export function addCustomerCommands(customers: Command, print: Output): void {
  onTarget(customers.command('create').description('Create a customer'))
    .option('--name <text>', 'your name for the customer, which the lists show and the customer never sees')
    .option('--public-name <text>', 'the name that the customer sees in the console (default: its id)')
    .action((options: Options & Names) => create(print, options));
  onTarget(customers.command('list').description('List all customers, newest first')).action(
    (options: Options) => list(print, options),
  );
  onTarget(
    customers.command('show').description('Show a customer, with the number of its endpoints and keys'),
  )
    .requiredOption('--customer <id>', 'id of the customer')
    .action((options: OneOptions) => showOne(print, options));
  onTarget(customers.command('rename').description('Change your name for a customer, or its public name'))
    .requiredOption('--customer <id>', 'id of the customer')
    .option('--name <text>', 'your new name for the customer, which the lists show')
    .option('--public-name <text>', 'the new name that the customer sees; an empty text removes it')
    .action((options: OneOptions & Names) => rename(print, options));
  addDeleteCustomerCommand(customers.command('delete'), print);
}

async function create(print: Output, options: Options & Names): Promise<void> {
  const name = (options.name ?? '').trim();
  if (name === '') {
    throw new UsageError('A customer needs a name, which the lists show: add --name "First customer"');
  }
  const { table } = await openTarget(options);
  const publicName = options.publicName?.trim();
  const ports = { now, randomBytes, storeCustomer: storeCustomer(table) };
  const customer = await createCustomer(ports)(name, publicName);
  show(print, options, present(customer), [
    `Customer ${customer.id}`,
    `Next: ${nextCommand(options, `keys issue --customer ${customer.id}`)}`,
  ]);
}

async function list(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const customers = (await readCustomers(table)()).map(present);
  const lines =
    customers.length === 0
      ? [`No customers yet. Create one with: ${nextCommand(options, 'customers create --name <text>')}`]
      : recordTable(customers, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          CREATED: ({ created_at }) => created_at,
        });
  show(print, options, customers, lines);
}

async function showOne(print: Output, options: OneOptions): Promise<void> {
  const { customer: id } = options;
  const { table } = await openTarget(options);
  const customer = await readCustomer(table)(id);
  if (customer === null) throw noCustomer(options, id);
  const [endpoints, keys] = await Promise.all([listListeners(table)(id), readApiKeys(table)(id)]);
  const active = endpoints.filter(({ status }) => status === 'active').length;
  const valid = keys.filter(({ revokedAt }) => revokedAt === null).length;
  const shown = {
    ...present(customer),
    endpoints: { active, failed: endpoints.length - active },
    api_keys: { valid, revoked: keys.length - valid },
  };
  show(print, options, shown, [
    `Customer ${id}`,
    ...factLines(
      {
        Name: customer.name,
        'Public name': shownName(customer),
        Created: shown.created_at,
        Endpoints: `${active} active, ${shown.endpoints.failed} failed`,
        'API keys': `${valid} valid, ${shown.api_keys.revoked} revoked`,
      },
      14,
    ),
    `Next: ${nextCommand(options, `webhooks list --customer ${id}`)}`,
  ]);
}

async function rename(print: Output, options: OneOptions & Names): Promise<void> {
  const name = options.name?.trim();
  const publicName = options.publicName?.trim();
  if (name === '')
    throw new UsageError('The new name is empty: give a text, such as --name "First customer"');
  if (name === undefined && publicName === undefined)
    throw new UsageError('There is no new name: add --name or --public-name, with a text');
  const { table } = await openTarget(options);
  const ports = { renameCustomer: renameRows(table), readCustomer: readCustomer(table) };
  const customer = await renameCustomer(ports)(options.customer, { name, publicName });
  if (customer === null) throw noCustomer(options, options.customer);
  show(print, options, present(customer), [
    `Customer ${customer.id} is now named ${plainText(customer.name)}, and sees ${shownName(customer)}`,
    `Next: ${nextCommand(options, 'customers list')}`,
  ]);
}

/** What the customer sees in the console. */
function shownName({ publicName = '' }: Customer): string {
  return publicName === '' ? 'its id' : plainText(publicName);
}

function present({ id, name, publicName = '', createdAt }: Customer) {
  return { id, name, public_name: publicName === '' ? null : publicName, created_at: timestamp(createdAt) };
}
