import { Command, Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { stackFileOption } from '../cli/local-stack-file.ts';
import { type Output, outputTo, typedName } from '../cli/output.ts';
import { nextCommand, type Options, openTarget, stageOption } from '../cli/target.ts';
import { awaitEvents, subjectOf } from './await-events.ts';
import { awaitedJson, awaitedLines, throwUnlessDelivered } from './awaited-text.ts';
import { emitMany } from './emit-many.ts';
import { messageHelp, type SendOptions, waitOption, withMessageOptions } from './emit-options.ts';
import { exampleMessage, type MessageChoices } from './example-messages.ts';

type EmitOptions = Options & MessageChoices & SendOptions;

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
    .addOption(new Option('--json', 'print the message or summary as JSON; with --wait, also the outcome'))
    .addHelpText('after', ({ command }) => messageHelp(typedName(command)))
    .action((type: string, options: EmitOptions) => emit(print, type, options));
}

async function emit(print: Output, type: string, options: EmitOptions): Promise<void> {
  const { customer, json, repeat, wait: seconds } = options;
  const say = (text: string) => (json === true ? undefined : print(`${text}\n`));
  const message = exampleMessage(type, options, now(), randomBytes);
  const parsed = intakeMessage.parse(message);
  const subject = seconds === undefined ? null : subjectOf(parsed);
  const target = await openTarget(options);
  const { table, queues, intakeQueueUrl } = target;
  await assertCustomer(table, options);
  const newMessage = () => intakeMessage.parse(exampleMessage(type, options, now(), randomBytes));
  if (repeat !== undefined) return emitMany(print, target, { ...options, repeat, newMessage });
  const isRepeated = subject !== null && (await subject.read(table)(customer, subject.id)) !== null;
  await sendToIntake(queues, intakeQueueUrl)(message);
  say(`Sent ${type} for ${customer}${nameOf(parsed)}`);
  if (subject === null || seconds === undefined) {
    if (json === true) print(`${JSON.stringify(message)}\n`);
    return;
  }
  if (isRepeated) say(`${subject.kind} ${subject.id} already had its event, so this message makes no other`);
  const awaited = await awaitEvents(table, [parsed], seconds);
  if (json === true) print(`${JSON.stringify({ message, ...awaited.map(awaitedJson)[0] })}\n`);
  const isLocal = options.stage === undefined;
  for (const line of awaited.flatMap((one) => awaitedLines(one, isLocal))) say(line);
  throwUnlessDelivered(awaited, seconds, nextCommand(options, 'dead-letters list'));
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
