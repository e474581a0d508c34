import { type Command, InvalidArgumentError } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import {
  findReference,
  readApiKeys,
  readCustomer,
  readCustomers,
  readListedCustomer,
  updateCustomer,
} from '#shared/aws/table/credentials/customers.ts';
import { listListeners } from '#shared/aws/table/endpoints/endpoints.ts';
import { limits } from '#shared/contract/limits.ts';
import { customerMetadata, customerReference, presentCustomer } from '#shared/contract/records/customer.ts';
import type { Customer, Metadata } from '#shared/domain/customer.ts';
import { createCustomerOnce } from '#shared/operations/operator/create-customer.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { aboutOne } from '../cli/about-one.ts';
import { ofForm } from '../cli/option-parsers.ts';
import { noCustomer } from '../cli/place-options.ts';
import { type Invocation, invoke, onTarget } from '../cli/target.ts';
import { factLines, plainText, recordTable } from '../cli/text-table.ts';
import { UsageError } from '../cli/usage-error.ts';
import { addDeleteCustomerCommand } from './delete-customer-command.ts';

type Changes = {
  readonly name?: string;
  readonly publicName?: string;
  readonly reference?: string;
  readonly metadata?: Metadata;
};

export function addCustomerCommands(customers: Command): void {
  withChanges(onTarget(customers.command('create'), 'Create a customer')).action(invoke(create));
  onTarget(customers.command('list'), 'List all customers, newest first')
    .option('--reference <text>', 'only the customer with this reference')
    .action(invoke(list));
  const one = (name: string, description: string, hidden = false) => {
    const command = onTarget(customers.command(name, { hidden }), description);
    return aboutOne(command, 'id of the customer', 'customer');
  };
  one('show', 'Show a customer, with the number of its endpoints and keys').action(invoke(showOne));
  for (const [name, isEarlier] of [['update', false] as const, ['rename', true] as const]) {
    const updating = one(name, 'Change the names, the reference or the metadata of a customer', isEarlier);
    withChanges(updating).action(invoke(update));
  }
  addDeleteCustomerCommand(customers.command('delete'));
}

function withChanges(command: Command): Command {
  return command
    .option('--name <text>', 'your name for the customer, which the lists show and the customer never sees')
    .option('--public-name <text>', 'the name that the customer sees in the console; with an empty text, its id')
    .option('--reference <text>', 'your own id for the customer, which no other customer has', parseReference)
    .option(
      '--metadata <name=value>',
      'what you keep beside it, such as email=ops@example.com; repeatable, and without a value it is removed',
      parseMetadata,
    );
}

const parseReference = ofForm(
  (text) => customerReference.safeParse(text).success,
  `Give 1 to ${limits.customerReferenceLength} visible ASCII characters`,
);

function parseMetadata(text: string, before: Metadata = {}): Metadata {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name !== '' && customerMetadata.safeParse({ [name]: value }).success) return { ...before, [name]: value };
  throw new InvalidArgumentError(
    `Give name=value: a name of letters, digits, _, - and . with at most ${limits.metadataNameLength} characters, ` +
      `and a value of at most ${limits.metadataValueLength}`,
  );
}

/** The metadata after a change. @throws UsageError for too many members */
function changed(before: Metadata = {}, change: Metadata | undefined): Metadata | undefined {
  if (change === undefined) return undefined;
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== '');
  if (after.length > limits.metadataMembers) {
    throw new UsageError(`The metadata has ${after.length} members, at most ${limits.metadataMembers}`);
  }
  return Object.fromEntries(after);
}

async function create({ options, open, next, show }: Invocation<Changes>): Promise<void> {
  const { name = '', publicName, reference, metadata } = options;
  if (name.trim() === '') {
    throw new UsageError('A customer needs a name, which the lists show: add --name "First customer"');
  }
  const given = {
    ...{ name: name.trim(), publicName: publicName?.trim(), reference },
    metadata: changed({}, metadata),
  };
  const { table } = await open();
  const created = await createCustomerOnce({ table, now, randomBytes })(given);
  if (created?.isNew !== true) throw taken(next, reference);
  const { id } = created.customer;
  const command = next(`keys create --customer ${id}`);
  show(presentCustomer(created.customer), [`Customer ${id}`, `Next: ${command}`]);
}

/** Why a customer was not changed. */
async function refusal(table: Table, next: Invocation['next'], { id }: Customer, reference?: string): Promise<Error> {
  const owner = reference === undefined ? null : await findReference(table, reference);
  if (owner !== null && owner !== id) return taken(next, reference);
  return new Error(`Customer ${id} was changed at the same time: run the command again`);
}

function taken(next: Invocation['next'], reference = ''): Error {
  const list = next(`customers list --reference ${reference}`);
  return new Error(`Another customer has the reference ${reference}. Show it with: ${list}`);
}

async function list({ options: { reference }, open, next, show }: Invocation<Changes>): Promise<void> {
  const { table } = await open();
  const found = reference === undefined ? await readCustomers(table) : await withReference(table, reference);
  const customers = found.map(presentCustomer);
  const none =
    reference === undefined
      ? `No customers yet. Create one with: ${next('customers create --name <text>')}`
      : `No customer has the reference ${reference}`;
  const columns = { ID: 'id', NAME: 'name', REFERENCE: 'reference', CREATED: 'created_at' } as const;
  show(customers, customers.length === 0 ? [none] : recordTable(customers, columns));
}

async function withReference(table: Table, reference: string): Promise<readonly Customer[]> {
  const id = await findReference(table, reference);
  const customer = id === null ? null : await readListedCustomer(table, id);
  return customer === null ? [] : [customer];
}

async function showOne({ open, next, show }: Invocation, id: string): Promise<void> {
  const { table } = await open();
  const customer = await readCustomer(table, id);
  if (customer === null) throw noCustomer(next, id);
  const [endpoints, keys] = await Promise.all([listListeners(table, id), readApiKeys(table, id)]);
  const active = endpoints.filter(({ status }) => status === 'active').length;
  const valid = keys.filter(({ revokedAt }) => revokedAt === null).length;
  const [failed, revoked] = [endpoints.length - active, keys.length - valid];
  const shown = { ...presentCustomer(customer), endpoints: { active, failed }, api_keys: { valid, revoked } };
  // The table keeps no order of them.
  const metadata = Object.entries(shown.metadata)
    .toSorted()
    .map(([name, value]) => `${name}=${plainText(value)}`);
  const facts = {
    Name: customer.name,
    'Public name': shownName(customer),
    Reference: shown.reference,
    Metadata: metadata.join(', ') || null,
    Created: shown.created_at,
    Endpoints: `${active} active, ${failed} failed`,
    'API keys': `${valid} valid, ${revoked} revoked`,
  };
  const webhooks = next(`webhooks list --customer ${id}`);
  show(shown, [`Customer ${id}`, ...factLines(facts, 14), `Next: ${webhooks}`]);
}

async function update({ options, open, next, show }: Invocation<Changes>, id: string): Promise<void> {
  const [name, publicName] = [options.name?.trim(), options.publicName?.trim()];
  const { reference, metadata } = options;
  if (name === '') throw new UsageError('The new name is empty: give a text, such as --name "First customer"');
  if ([name, publicName, reference, metadata].every((change) => change === undefined))
    throw new UsageError('There is nothing to change: add --name, --public-name, --reference or --metadata');
  const { table } = await open();
  const before = await readCustomer(table, id);
  if (before === null) throw noCustomer(next, id);
  const changes = { name, publicName, reference, metadata: changed(before.metadata, metadata) };
  const isUpdated = await updateCustomer(table, before, changes);
  const customer = await readCustomer(table, id);
  if (customer === null) throw noCustomer(next, id);
  if (!isUpdated) throw await refusal(table, next, customer, reference);
  show(presentCustomer(customer), [
    `Customer ${id} is now named ${plainText(customer.name)}, and sees ${shownName(customer)}`,
    `Next: ${next(`customers show ${id}`)}`,
  ]);
}

/** What the customer sees in the console. */
function shownName({ publicName = '' }: Customer): string {
  return publicName === '' ? 'its id' : plainText(publicName);
}
