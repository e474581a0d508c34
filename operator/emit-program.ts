import { Argument, Command, Option } from 'commander';
import { connectQueues } from '../shared/aws/delivery-queue.ts';
import { sendToIntake } from '../shared/aws/intake-queue.ts';
import { intakeMessage } from '../shared/contract/intake-message.ts';
import { now, randomBytes } from '../shared/runtime/system.ts';
import { emittableTypes, exampleMessage, type MessageChoices } from './example-messages.ts';
import { openTarget, stackFileOption, stageOption, type TargetOptions } from './target.ts';

type EmitOptions = TargetOptions & MessageChoices & { readonly json?: true };

/** Puts well-formed messages on the intake queue, as the Run engine does. */
export function emitProgram(print: (text: string) => void): Command {
  return new Command('npm run emit --')
    .description('Tell the service that something happened, as the Run engine would')
    .configureOutput({ writeOut: print })
    .showHelpAfterError()
    .addArgument(new Argument('<type>', 'kind of message').choices(emittableTypes))
    .requiredOption('--customer <id>', 'customer it happened to')
    .addOption(
      new Option('--status <status>', 'outcome of the Run').choices(['completed', 'partial', 'failed']),
    )
    .option('--kind <kind>', 'kind of the Run')
    .option('--run <id>', 'id of the Run; a new one by default')
    .option('--tracker <id>', 'id of the Tracker; a new one for the messages that need one')
    .option('--charge <usd>', 'what the Run cost', Number)
    .option('--platform <name>', 'where the videos are; tiktok by default')
    .option('--handle <name>', 'whose videos they are')
    .option('--count <n>', 'how many videos; 3 by default', Number)
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the message that was sent'))
    .action((type: string, options: EmitOptions) => emit(print, type, options));
}

async function emit(print: (text: string) => void, type: string, options: EmitOptions): Promise<void> {
  const { intakeQueueUrl } = await openTarget(options);
  const message = exampleMessage(type, options, now(), randomBytes);
  intakeMessage.parse(message);
  await sendToIntake(connectQueues(), intakeQueueUrl)(message);
  print(options.json === true ? `${JSON.stringify(message)}\n` : `Sent ${type} for ${options.customer}\n`);
}
