import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Command, Option } from 'commander';
import { ApiProblem } from '../../../packages/api-client/client.ts';
import { explainFailure } from '../../operator/cli/explain-failure.ts';
import { stackFileOption } from '../../operator/cli/local-stack-file.ts';
import { outputTo } from '../../operator/cli/output.ts';
import { runProgram } from '../../operator/cli/run-program.ts';
import { UsageError } from '../../operator/cli/usage-error.ts';
import { exitCodeOf, onStop, outliveOutput, type StopReason } from '../stack/when-to-stop.ts';
import { openFolderId } from './endpoint-mark.ts';
import { parseApi, parseForward, parsePort, parsePublicUrl, parseText } from './flag-values.ts';
import { findTarget, type ListenTarget, type TargetFlags } from './listen-target.ts';
import { createReport, type Report } from './print-report.ts';
import { type Listening, startListening } from './start-listening.ts';
import { endpointGone } from './watch-endpoint.ts';

type Flags = TargetFlags & {
  readonly forward?: URL;
  readonly forwardHandshake?: true;
  readonly printSecret?: true;
  readonly json?: true;
};

const watchEveryMs = 20_000;

/** Listens until a signal ends it. Sets the exit code. */
export async function runListen(argv: readonly string[]): Promise<void> {
  outliveOutput();
  await runProgram(commandLine(), {
    args: argv,
    // What a tunnel needs takes several lines.
    explain: (error) => (error instanceof UsageError ? error.message : explainFailure(error)),
  });
}

function commandLine(): Command {
  return new Command('npm run listen --')
    .description('Register a receiver on this machine, show and verify its deliveries, and forward them.')
    .configureOutput(outputTo((text) => process.stdout.write(text)))
    .option(
      '--forward <url>',
      'http URL of your own server, which gets every verified delivery',
      parseForward,
    )
    .option('--forward-handshake', 'forward the test event of the registration too')
    .option(
      '--key <key>',
      'API key (default: API_KEY, then the first customer of the local stack)',
      parseText,
    )
    .option('--api <url>', 'address of the API (default: the local stack)', parseApi)
    .addOption(
      new Option('--stage <name>', 'find the API of this deployed stage')
        .conflicts('api')
        .argParser(parseText),
    )
    .option('--url <url>', 'public https URL of a tunnel to this machine', parsePublicUrl)
    .option('--port <number>', 'port on 127.0.0.1 that the tunnel connects to (default: 9450)', parsePort)
    .addOption(stackFileOption)
    .option('--print-secret', 'print the signing secret alone on the first line')
    .addOption(new Option('--json', 'print one JSON object on each line').conflicts('printSecret'))
    .action((flags: Flags) => run(flags));
}

async function run(flags: Flags): Promise<void> {
  const ended = Promise.withResolvers<StopReason>();
  const stopping = new AbortController();
  onStop(
    (reason) => {
      stopping.abort();
      ended.resolve(reason);
    },
    { script: 'bin/listen.ts' },
  );
  const { listening, report } = await start(flags);
  const wasEarly = stopping.signal.aborted;
  const gone = endpointGone(listening, {
    everyMs: watchEveryMs,
    signal: stopping.signal,
    onSilence: (reason) => report.note(`${reason}. Still listening`),
  });
  const reason = await Promise.race([
    ended.promise,
    gone.then((isGone) => (isGone ? 'gone' : ended.promise)),
  ]);
  stopping.abort();
  if (reason === 'gone') {
    await listening.close().catch(() => undefined);
    throw new Error(
      `Endpoint ${listening.webhookId} is gone: it was deleted, its key was revoked, or the stack was started again. ` +
        'Run this command again',
    );
  }
  await listening.close();
  report.stopped(listening.webhookId);
  if (wasEarly) process.exitCode = exitCodeOf(reason);
}

async function start(flags: Flags): Promise<{ readonly listening: Listening; readonly report: Report }> {
  const target = await findTarget(flags, { environmentKey: environmentKey(), findApiUrl });
  const report = createReport({
    format: flags.json === true ? 'json' : flags.printSecret === true ? 'secret' : 'text',
    apiUrl: target.access.url,
    forward: flags.forward,
    customerId: target.customerId,
    emitCommand: emitCommand(target, flags),
    now: Date.now,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
  const folderId = await openFolderId(path.dirname(flags.stackFile), () => randomBytes(6).toString('hex'));
  const listening = await startListening({
    ...target,
    folderId,
    forward: flags.forward,
    forwardHandshake: flags.forwardHandshake === true,
    now: Date.now,
    onLeftOver: report.leftOver,
    onReady: report.ready,
    onDelivery: report.delivery,
  }).catch((error: unknown) => {
    throw error instanceof ApiProblem && error.status === 401 ? refusedKey(error, target) : error;
  });
  return { listening, report };
}

/** A terminal may still have the key of an earlier stack, which kept no data. */
function refusedKey(cause: ApiProblem, { keySource, place }: ListenTarget): Error {
  const own = place.kind === 'stack' ? '; without it, listen uses the first customer of the local stack' : '';
  return new Error(`${cause.message}. The key comes from ${keySource}${own}`, { cause });
}

function emitCommand({ customerId = '' }: ListenTarget, { stackFile }: Flags): string {
  const command = `npm run emit -- run.settled --customer ${customerId}`;
  return stackFile === stackFileOption.defaultValue ? command : `${command} --stack-file ${stackFile}`;
}

/** Loads the AWS SDK only if it is needed. */
async function findApiUrl(stage: string): Promise<string> {
  const { findStageApi } = await import('#shared/aws/deployed-stage.ts');
  return await findStageApi(stage);
}

function environmentKey(): string | undefined {
  const key = process.env.API_KEY ?? '';
  return key === '' ? undefined : key;
}
