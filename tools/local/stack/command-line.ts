import { Command, InvalidArgumentError, Option } from 'commander';
import { errorText } from '../../operator/cli/colour.ts';
import { ofForm, ofNumber, wholeNumber } from '../../operator/cli/option-parsers.ts';
import { outputTo } from '../../operator/cli/output.ts';
import { messageOf } from '../../operator/cli/run-program.ts';
import { banner } from './banner.ts';
import { logText } from './log-text.ts';
import { parseTrustedOrigin, type StackOptions } from './stack-options.ts';
import { startStack } from './start.ts';
import { exitCodeOf, onStop, type StopReason } from './when-to-stop.ts';

type Flags = {
  readonly port: number;
  readonly timeScale: number;
  readonly data?: string;
  readonly stackFile?: string;
  readonly trustOrigin: readonly string[];
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly jsonLogs: boolean;
};

/** Preferred ports of the test receiver: after a restart, kept endpoints still point at them. */
const receiverPorts = { endpoint: 9443, inbox: 9444 } as const;

/** Several, so that several programs can listen at once. */
const listenPorts = [9445, 9446, 9447, 9448, 9449] as const;

const parsePath = ofForm((text) => text.trim() !== '', 'Give a path');
const parsePort = wholeNumber(0, 65_535, 'Give', 'a number from 0 (any free port) to 65535');
const parseTimeScale = ofNumber(
  (scale) => Number.isFinite(scale) && scale >= 1,
  'Give a number from 1 up, such as 600 to turn ten minutes into one second',
);

/** `webhook-delivery start`: runs the local stack until a signal stops it. Sets the exit code. */
export function startProgram(): Command {
  return new Command('start')
    .configureOutput(outputTo((text) => process.stdout.write(text)))
    .description('Runs the whole service on this machine: the synthesized CDK app over local stand-ins for AWS.')
    .option('--port <number>', 'port of the API', parsePort, 8787)
    .option('--time-scale <number>', 'factor that shortens every wait, such as the wait for a retry', parseTimeScale, 1)
    .option('--data <directory>', 'keep data in this folder between runs (default: in memory)', parsePath)
    .option(
      '--stack-file <path>',
      'file that describes the stack to other commands (default: .local/stack.json)',
      parsePath,
    )
    .addOption(
      new Option(
        '--trust-origin <origin>',
        'HTTPS origin that may receive deliveries although it is not public; repeatable',
      )
        .argParser(addOrigin)
        .default([], 'none'),
    )
    .option('--quiet', 'do not print the logs of the functions', false)
    .option('--verbose', 'also print metrics, and audits that found nothing', false)
    .option('--json-logs', 'print each log line as one JSON object', false)
    .action((flags: Flags) => run(flags));
}

async function run(flags: Flags): Promise<void> {
  const startedAt = performance.now();
  const aborted = new AbortController();
  const ended = Promise.withResolvers<void>();
  let stoppedBy: StopReason | undefined;
  onStop((reason) => {
    stoppedBy = reason;
    aborted.abort(new Error('Stopped before it was ready'));
    ended.resolve();
  });
  console.log('Starting the local stack. The first start after a change takes a few seconds longer.');
  const options = { ...optionsOf(flags), signal: aborted.signal };
  const stack = await startStack(options).catch((error: unknown) => {
    // When a start is stopped, its own error does not name the reason.
    console.error(errorText(messageOf(aborted.signal.aborted ? aborted.signal.reason : error)));
    process.exitCode = stoppedBy === undefined ? 1 : exitCodeOf(stoppedBy);
  });
  if (stack === undefined) return;
  if (!aborted.signal.aborted) console.log(banner(stack.info, performance.now() - startedAt, flags.stackFile));
  await ended.promise;
  console.log('Stopping: waiting for work in flight. Press Ctrl-C again to stop now.');
  await stack.close();
}

function optionsOf(flags: Flags): StackOptions {
  const { port, timeScale, data: dataDir, stackFile, quiet, verbose, jsonLogs: json } = flags;
  return {
    port,
    receiverPorts,
    listenPorts,
    timeScale,
    dataDir,
    ...(stackFile === undefined ? {} : { stackFile }),
    trustedOrigins: flags.trustOrigin,
    onStep: (step, ms) => console.log(`  ${(ms / 1_000).toFixed(1).padStart(5)} s  ${step}`),
    onLogLine: (source, line) => {
      const text = quiet ? null : logText(source, line, { json, verbose, timeScale });
      if (text !== null) console.log(text);
    },
  };
}

function addOrigin(text: string, earlier: readonly string[]): readonly string[] {
  try {
    return [...earlier, parseTrustedOrigin(text)];
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
