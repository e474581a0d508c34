import { Command, Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { makeId } from '#shared/domain/ids.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import type { NotSent } from '../../../packages/producer/intake.ts';
import { stackFileOption } from '../cli/local-stack-file.ts';
import { type Output, outputTo, typedName } from '../cli/output.ts';
import { nextCommand, type Options, openTarget, stageOption } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { awaitEvents, subjectOf } from './await-events.ts';
import { awaitedJson, awaitedLines, throwUnlessDelivered } from './awaited-text.ts';
import { emitMany } from './emit-many.ts';
import { messageHelp, type SendOptions, waitOption, withMessageOptions } from './emit-options.ts';
import { exampleMessage, faultsOfChoices, type MessageChoices } from './example-messages.ts';
import { reasonOf, sendSafely } from './send-safely.ts';

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
  const faults = faultsOfChoices(type, options);
  if (faults.length > 0) throw new UsageError(faults.join('; '));
  const say = (text: string) => (json === true ? undefined : print(`${text}\n`));
  const run = options.run ?? makeId('run', now(), randomBytes(10));
  const message = exampleMessage(type, { ...options, run }, now(), randomBytes);
  const parsed = intakeMessage.parse(message);
  const subject = seconds === undefined ? null : subjectOf(parsed);
  const target = await openTarget(options);
  const { table } = target;
  await assertCustomer(table, options);
  if (repeat !== undefined) {
    const newMessage = (number: number) =>
      intakeMessage.parse(exampleMessage(type, { ...options, run: `${run}-${number}` }, now(), randomBytes));
    return emitMany(print, target, { ...options, repeat, run, newMessage });
  }
  const isRepeated = subject !== null && (await subject.read(table)(customer, subject.id)) !== null;
  const [fault] = await sendSafely(target, [parsed]);
  if (fault !== undefined) throw notSent(fault, run);
  say(`Sent ${type} for ${customer}${nameOf(parsed)}`);
  if (subject === null || seconds === undefined) {
    if (json === true) print(`${JSON.stringify(message)}\n`);
    return;
  }
  if (isRepeated) say(`${subject.kind} ${subject.id} already had its event, so this message makes no other`);
  const ended = await awaitEvents(table, [parsed], seconds);
  if (json === true) print(`${JSON.stringify({ message, ...ended.seen.map(awaitedJson)[0] })}\n`);
  const isLocal = options.stage === undefined;
  for (const line of ended.seen.flatMap((one) => awaitedLines(one, isLocal))) say(line);
  throwUnlessDelivered(ended, seconds, nextCommand(options, 'dead-letters list'));
}

function notSent(fault: NotSent, run: string): Error {
  const known = fault.senderFault ? 'The queue refused the message' : 'It is not known whether the message was sent';
  return new Error(
    `${known}: ${reasonOf(fault)}. The same command with --run ${run} sends it again, and makes no second event`,
  );
}

/** The intake moves a message for an unknown customer to its dead-letter queue, which is easy to miss. */
async function assertCustomer(table: Table, options: EmitOptions): Promise<void> {
  if ((await readCustomer(table, options.customer)) !== null) return;
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
