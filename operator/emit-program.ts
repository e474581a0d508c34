import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type * as z from 'zod';
import { connectQueues } from '#shared/aws/queues/delivery-queue.ts';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { readCustomer } from '#shared/aws/table/customers.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { emittableTypes, exampleMessage, type MessageChoices } from './example-messages.ts';
import { operatorTable } from './operator-table.ts';
import { outputTo } from './output.ts';
import { nextCommand, openTarget, stackFileOption, stageOption, type TargetOptions } from './target.ts';

type EmitOptions = TargetOptions & MessageChoices & { readonly json?: true };

/** Puts well-formed messages on the intake queue, as the Run engine does. */
export function emitProgram(print: (text: string) => void): Command {
  return new Command('npm run emit --')
    .description('Tell the service that something happened, as the Run engine would')
    .configureOutput(outputTo(print))
    .addArgument(new Argument('<type>', 'kind of message').choices(emittableTypes))
    .requiredOption('--customer <id>', 'customer it happened to')
    .addOption(
      new Option('--status <status>', 'outcome of the Run').choices(['completed', 'partial', 'failed']),
    )
    .option('--kind <kind>', 'kind of the Run')
    .option('--run <id>', 'id of the Run; a new one by default')
    .option('--tracker <id>', 'id of the Tracker; a new one for the messages that need one')
    .option('--charge <usd>', 'what the Run cost', parseCharge)
    .option('--platform <name>', 'where the videos are; tiktok by default')
    .option('--handle <name>', 'whose videos they are')
    .option('--count <n>', 'how many videos; 3 by default', parseCount)
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the message that was sent'))
    .action((type: string, options: EmitOptions) => emit(print, type, options));
}

async function emit(print: (text: string) => void, type: string, options: EmitOptions): Promise<void> {
  const message = exampleMessage(type, options, now(), randomBytes);
  const { error } = intakeMessage.safeParse(message);
  if (error !== undefined) throw new Error(`Cannot send ${type}: ${explain(error)}`);
  const { intakeQueueUrl, tableName } = await openTarget(options);
  await assertCustomer(tableName, options);
  await sendToIntake(connectQueues(), intakeQueueUrl)(message);
  print(options.json === true ? `${JSON.stringify(message)}\n` : `Sent ${type} for ${options.customer}\n`);
}

/** What happens to a customer who does not exist is told to nobody, so the message would vanish. */
async function assertCustomer(tableName: string, options: EmitOptions): Promise<void> {
  if ((await readCustomer(operatorTable(tableName))(options.customer)) !== null) return;
  const list = nextCommand(options, 'customers list');
  const create = nextCommand(options, 'customers create --name <text>');
  throw new Error(
    `There is no customer ${options.customer}, so nothing was sent: ${list} shows those there are, ` +
      `${create} makes one`,
  );
}

function explain({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

function parseCharge(text: string): number {
  const charge = Number(text);
  if (text.trim() !== '' && Number.isFinite(charge) && charge >= 0) return charge;
  throw new InvalidArgumentError('Give a number from 0 up.');
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('Give a whole number from 0 up.');
}
