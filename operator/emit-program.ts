import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { sdkQueueClient } from '#shared/aws/queues/sdk-queue-client.ts';
import { readCustomer } from '#shared/aws/table/customers.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { emittableTypes, exampleMessage, type MessageChoices } from './example-messages.ts';
import { outputTo } from './output.ts';
import { nextCommand, openTarget, stackFileOption, stageOption, type TargetOptions } from './target.ts';

type EmitOptions = TargetOptions & MessageChoices & { readonly json?: true };

/** Sends well-formed messages to the intake queue, as the Run engine does. */
export function emitProgram(print: (text: string) => void): Command {
  return new Command('npm run emit --')
    .description('Send an example message to the intake queue, as the Run engine does')
    .configureOutput(outputTo(print))
    .addArgument(new Argument('<type>', 'kind of message').choices(emittableTypes))
    .requiredOption('--customer <id>', 'customer that the message is about')
    .addOption(
      new Option('--status <status>', 'outcome of the Run').choices(['completed', 'partial', 'failed']),
    )
    .option('--kind <kind>', 'kind of the Run')
    .option('--run <id>', 'id of the Run; a new one by default')
    .option('--tracker <id>', 'id of the Tracker; a new one for the messages that need one')
    .option('--charge <usd>', 'cost of the Run, in US dollars', parseCharge)
    .option('--platform <name>', 'platform of the videos; tiktok by default')
    .option('--handle <name>', 'handle of the creator of the videos')
    .option('--count <n>', 'number of videos; 3 by default', parseCount)
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the message that was sent'))
    .action((type: string, options: EmitOptions) => emit(print, type, options));
}

async function emit(print: (text: string) => void, type: string, options: EmitOptions): Promise<void> {
  const message = exampleMessage(type, options, now(), randomBytes);
  const { error } = intakeMessage.safeParse(message);
  if (error !== undefined) throw new Error(`Cannot send ${type}: ${explain(error)}`);
  const { table, queues, intakeQueueUrl } = await openTarget(options);
  await assertCustomer(table, options);
  await sendToIntake(sdkQueueClient(queues), intakeQueueUrl)(message);
  print(options.json === true ? `${JSON.stringify(message)}\n` : `Sent ${type} for ${options.customer}\n`);
}

/** The intake moves a message for an unknown customer to its dead-letter queue, which is easy to miss. */
async function assertCustomer(table: Table, options: EmitOptions): Promise<void> {
  if ((await readCustomer(table)(options.customer)) !== null) return;
  const list = nextCommand(options, 'customers list');
  const create = nextCommand(options, 'customers create --name <text>');
  throw new Error(
    `Customer ${options.customer} not found, so nothing was sent. List customers with: ${list}. ` +
      `Create one with: ${create}`,
  );
}

function explain({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

function parseCharge(text: string): number {
  const charge = Number(text);
  if (text.trim() !== '' && Number.isFinite(charge) && charge >= 0) return charge;
  throw new InvalidArgumentError('Give a number of at least 0');
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('Give a whole number of at least 0');
}
