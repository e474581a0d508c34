import { Command, Option } from 'commander';
import { hashApiKey, makeApiKey } from '../shared/auth/api-key.ts';
import { connectTable } from '../shared/aws/clients.ts';
import { storeApiKey, storeCustomer } from '../shared/aws/table/customers.ts';
import { timestamp } from '../shared/contract/timestamp.ts';
import { createCustomer } from '../shared/operations/create-customer.ts';
import { issueApiKey } from '../shared/operations/issue-api-key.ts';
import { now, randomBytes } from '../shared/runtime/system.ts';
import { openTarget, stackFileOption, stageOption, type TargetOptions } from './target.ts';

type Output = (text: string) => void;
type CommandOptions = TargetOptions & { readonly json?: true };

/** The operator's command line. */
export function adminProgram(print: Output): Command {
  const program = new Command('admin')
    .description('Administer the local stack, or a deployed stage')
    .configureOutput({ writeOut: print })
    .showHelpAfterError();
  program.addCommand(
    new Command('customers').description('Customers').addCommand(createCustomerCommand(print)),
  );
  program.addCommand(new Command('keys').description('API keys').addCommand(issueKeyCommand(print)));
  return program;
}

function createCustomerCommand(print: Output): Command {
  return onTarget(new Command('create').description('Create a customer'))
    .option('--name <text>', 'what you call the customer', '')
    .action(async (options: CommandOptions & { readonly name: string }) => {
      const { tableName } = await openTarget(options);
      const create = createCustomer({
        now,
        randomBytes,
        storeCustomer: storeCustomer(connectTable(tableName)),
      });
      const { id, name, createdAt } = await create(options.name);
      const record = { id, name, created_at: timestamp(createdAt) };
      show(print, options, record, [`Customer ${id}`, `Next: npm run admin -- keys issue --customer ${id}`]);
    });
}

function issueKeyCommand(print: Output): Command {
  return onTarget(new Command('issue').description('Issue an API key; it is shown once'))
    .requiredOption('--customer <id>', 'customer the key acts for')
    .action(async (options: CommandOptions & { readonly customer: string }) => {
      const { tableName } = await openTarget(options);
      const issue = issueApiKey({
        now,
        randomBytes,
        makeKey: makeApiKey,
        hashKey: hashApiKey,
        storeApiKey: storeApiKey(connectTable(tableName)),
      });
      const issued = await issue(options.customer);
      if (issued === null) throw new Error(`There is no customer ${options.customer}`);
      const { key, stored } = issued;
      const record = {
        id: stored.id,
        customer_id: stored.customerId,
        prefix: stored.prefix,
        created_at: timestamp(stored.createdAt),
        api_key: key,
      };
      show(print, options, record, [`Key ${stored.id}, shown this once:`, key]);
    });
}

function onTarget(command: Command): Command {
  return command
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the result as JSON'));
}

function show(print: Output, options: CommandOptions, record: object, lines: readonly string[]): void {
  print(`${options.json === true ? JSON.stringify(record) : lines.join('\n')}\n`);
}
