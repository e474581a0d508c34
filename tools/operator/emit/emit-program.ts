import { Command, Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { stackFileOption } from '../cli/local-stack-file.ts';
import { type Output, outputTo } from '../cli/output.ts';
import { nextCommand, openTarget, stageOption, type TargetOptions } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { awaitedJson, awaitedLines, throwUnlessDelivered } from './awaited-text.ts';
import { defaultWait, messageHelp, waitOption, withMessageOptions } from './emit-options.ts';
import { eventSubject, isTold, waitFor } from './event-subject.ts';
import { exampleMessage, type MessageChoices } from './example-messages.ts';

type EmitOptions = TargetOptions & MessageChoices & { readonly json?: true; readonly wait?: number | true };

/** Sends well-formed messages to the intake queue, as the Run engine does. */
export function emitProgram(print: Output): Command {
  const program = new Command('npm run emit --')
    .description(
      "Send an example message, as the Run engine does. Some messages make an event for the customer's endpoints.",
    )
    .configureOutput(outputTo(print));
  return withMessageOptions(program)
    .addOption(waitOption)
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the message as JSON; with --wait, also the outcome'))
    .addHelpText('after', messageHelp)
    .action((type: string, options: EmitOptions) => emit(print, type, options));
}

async function emit(print: Output, type: string, options: EmitOptions): Promise<void> {
  const message = exampleMessage(type, options, now(), randomBytes);
  const parsed = intakeMessage.parse(message);
  const subject = eventSubject(parsed);
  const seconds = options.wait === true ? defaultWait : options.wait;
  if (seconds !== undefined && subject === null) throw nothingToWaitFor(type);
  const { table, queues, intakeQueueUrl } = await openTarget(options);
  await assertCustomer(table, options);
  const isRepeated = seconds !== undefined && subject !== null && (await isTold(table, subject));
  await sendToIntake(queues, intakeQueueUrl)(message);
  if (options.json !== true) print(`Sent ${type} for ${options.customer}${nameOf(parsed)}\n`);
  if (seconds === undefined || subject === null) {
    if (options.json === true) print(`${JSON.stringify(message)}\n`);
    return;
  }
  if (options.json !== true && isRepeated) {
    print(`${subject.name} already had its event, so this message makes no other\n`);
  }
  const awaited = await waitFor(table, subject, now() + seconds * 1_000);
  if (options.json === true) print(`${JSON.stringify({ message, ...awaitedJson(awaited) })}\n`);
  else for (const line of awaitedLines(awaited)) print(`${line}\n`);
  throwUnlessDelivered(awaited, seconds, nextCommand(options, 'dead-letters list'));
}

function nothingToWaitFor(type: string): UsageError {
  return new UsageError(
    `${type} makes no event, so there is nothing to wait for: omit --wait, or send run.settled or change_report.written`,
  );
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

/** What the message is about, after a colon. */
function nameOf(message: IntakeMessage): string {
  if ('run' in message) return `: Run ${message.run.id}`;
  if ('run_id' in message) return `: Run ${message.run_id}`;
  return 'tracker' in message ? `: Tracker ${message.tracker.id}` : '';
}
