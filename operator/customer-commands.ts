import type { Command } from 'commander';
import { readCustomers, storeCustomer } from '#shared/aws/table/customers.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { addDeleteCustomerCommand } from './delete-customer-command.ts';
import { type Output, type OutputOptions, show } from './output.ts';
import { nextCommand, onTarget, openTarget, type TargetOptions } from './target.ts';
import { textTable } from './text-table.ts';
import { UsageError } from './usage-error.ts';

type Options = TargetOptions & OutputOptions;

export function addCustomerCommands(customers: Command, print: Output): void {
  onTarget(customers.command('create').description('Create a customer'))
    .option('--name <text>', 'your name for the customer, which the lists show')
    .action((options: Options & { readonly name?: string }) => create(print, options));
  onTarget(customers.command('list').description('List all customers, newest first')).action(
    (options: Options) => list(print, options),
  );
  addDeleteCustomerCommand(customers.command('delete'), print);
}

async function create(print: Output, options: Options & { readonly name?: string }): Promise<void> {
  const name = (options.name ?? '').trim();
  if (name === '') {
    throw new UsageError(
      'A customer needs a name, which the lists show and which cannot be changed later: add --name "First customer"',
    );
  }
  const { table } = await openTarget(options);
  const customer = await createCustomer({ now, randomBytes, storeCustomer: storeCustomer(table) })(name);
  show(print, options, present(customer), [
    `Customer ${customer.id}`,
    `Next: ${nextCommand(options, `keys issue --customer ${customer.id}`)}`,
  ]);
}

async function list(print: Output, options: Options): Promise<void> {
  const { table } = await openTarget(options);
  const customers = (await readCustomers(table)()).map(present);
  const rows = customers.map(({ id, name, created_at }) => [id, name, created_at]);
  const lines =
    rows.length === 0
      ? [`No customers yet. Create one with: ${nextCommand(options, 'customers create --name <text>')}`]
      : textTable(['ID', 'NAME', 'CREATED'], rows);
  show(print, options, customers, lines);
}

function present({ id, name, createdAt }: Customer) {
  return { id, name, created_at: timestamp(createdAt) };
}
