import { Command, Option } from 'commander';
import type { Table } from '#shared/aws/clients.ts';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readReportFanOut, readRunFanOut } from '#shared/aws/table/deliveries/fan-outs.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { awaitDeliveries } from '#shared/operations/operator/await-deliveries.ts';
import { now, randomBytes, wait } from '#shared/runtime/system.ts';
import { stackFileOption } from '../cli/local-stack-file.ts';
import { type Output, outputTo, typedName } from '../cli/output.ts';
import { nextCommand, type Options, openTarget, stageOption } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { awaitedJson, awaitedLines, throwUnlessDelivered } from './awaited-text.ts';
import { defaultWait, messageHelp, waitOption, withMessageOptions } from './emit-options.ts';
import { exampleMessage, type MessageChoices } from './example-messages.ts';

type EmitOptions = Options & MessageChoices & { readonly wait?: number | true };

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
    .addHelpText('after', ({ command }) => messageHelp(typedName(command)))
    .action((type: string, options: EmitOptions) => emit(print, type, options));
}

async function emit(print: Output, type: string, options: EmitOptions): Promise<void> {
  const { customer, json } = options;
  const say = (text: string) => (json === true ? undefined : print(`${text}\n`));
  const message = exampleMessage(type, options, now(), randomBytes);
  const parsed = intakeMessage.parse(message);
  const subject = options.wait === undefined ? null : subjectOf(parsed);
  const { table, queues, intakeQueueUrl } = await openTarget(options);
  await assertCustomer(table, options);
  const isRepeated = subject !== null && (await subject.read(table)(customer, subject.id)) !== null;
  await sendToIntake(queues, intakeQueueUrl)(message);
  say(`Sent ${type} for ${customer}${nameOf(parsed)}`);
  if (subject === null) {
    if (json === true) print(`${JSON.stringify(message)}\n`);
    return;
  }
  if (isRepeated) say(`${subject.kind} ${subject.id} already had its event, so this message makes no other`);
  const seconds = typeof options.wait === 'number' ? options.wait : defaultWait;
  const ports = { now, wait, readFanOut: subject.read(table), readDelivery: readDelivery(table) };
  const awaited = await awaitDeliveries(ports)(customer, subject.id, now() + seconds * 1_000);
  if (json === true) print(`${JSON.stringify({ message, ...awaitedJson(awaited) })}\n`);
  for (const line of awaitedLines(awaited, options.stage === undefined)) say(line);
  throwUnlessDelivered(awaited, seconds, nextCommand(options, 'dead-letters list'));
}

/** What the event of a message is about. @throws UsageError for a message that makes no event */
function subjectOf(message: IntakeMessage) {
  if (message.type === 'run.settled') return { kind: 'Run', id: message.run.id, read: readRunFanOut };
  if (message.type === 'change_report.written')
    return { kind: 'Change Report', id: message.change_report.id, read: readReportFanOut };
  throw new UsageError(
    `${message.type} makes no event, so there is nothing to wait for: omit --wait, or send run.settled or change_report.written`,
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
