import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { ApiProblem } from '../../../packages/api-client/client.ts';
import { explainFailure } from '../../operator/cli/explain-failure.ts';
import { stackFileOption, typedStackFile } from '../../operator/cli/local-stack-file.ts';
import { isHttps, ofForm, wholeNumber } from '../../operator/cli/option-parsers.ts';
import { outputTo, typedScript } from '../../operator/cli/output.ts';
import { UsageError } from '../../operator/cli/usage-error.ts';
import { exitCodeOf, onStop, type StopReason } from '../stack/when-to-stop.ts';
import { openFolderId } from './endpoints.ts';
import { setVariable, variableName } from './env-file.ts';
import { findTarget, isLoopback, type ListenTarget, type TargetDeps, type TargetFlags } from './listen-target.ts';
import { parseForward } from './parse-forward.ts';
import { createReport, type Report } from './print-report.ts';
import { endpointGone, type Listening, startListening } from './start-listening.ts';

type Flags = TargetFlags & {
  readonly forward?: URL;
  readonly forwardHandshake?: true;
  readonly printSecret?: true;
  readonly writeEnv?: string;
  readonly envName: string;
  readonly json?: true;
};

const parseText = ofForm((text) => text.trim() !== '', 'Expected a value');
const parseVariable = ofForm(
  (text) => variableName.test(text),
  'Expected letters, digits and _, such as WEBHOOK_SECRET',
);
const parseTunnel = ofForm(isHttps, 'Give the https URL that the tunnel prints');
const parsePublicUrl = (text: string) => new URL(parseTunnel(text)).href;
const parsePort = wholeNumber(1, 65_535);

/** The text for a failure: what a tunnel needs takes several lines. */
export function explainListen(error: unknown): string {
  return error instanceof UsageError ? error.message : explainFailure(error);
}

type FindApiUrl = NonNullable<TargetDeps['findApiUrl']>;

/**
 * `webhook-delivery listen`: listens until a signal ends it. Sets the exit code.
 *
 * @param findApiUrl default: none; there is no `--stage` then, and no AWS SDK is needed
 */
export function listenProgram(findApiUrl?: FindApiUrl): Command {
  const command = withOptions(new Command('listen'));
  if (findApiUrl !== undefined) {
    const stage = new Option('--stage <name>', 'find the API of this deployed stage');
    command.addOption(stage.conflicts('api').argParser(parseText));
  }
  return command.action((flags: Flags) => run(flags, findApiUrl));
}

function withOptions(command: Command): Command {
  return (
    command
      .description('Register a receiver on this machine, show and verify its deliveries, and forward them.')
      .configureOutput(outputTo((text) => process.stdout.write(text)))
      .option(
        '--forward <url>',
        'your own server, which gets every verified delivery: a URL, localhost:3000/hook or 3000',
        parseForward,
      )
      .option('--forward-handshake', 'forward the test event of the registration too')
      .option('--key <key>', 'API key (default: API_KEY, then the first customer of the local stack)', parseText)
      .option('--api <url>', 'address of the API (default: the local stack)', parseApi)
      .option('--url <url>', 'public https URL of a tunnel to this machine', parsePublicUrl)
      .option('--port <number>', 'port on 127.0.0.1 that the tunnel connects to (default: 9450)', parsePort)
      .addOption(stackFileOption)
      .option('--print-secret', 'print the signing secret alone on the first line')
      // Not --env-file: Node.js takes that itself wherever it stands, and ends when the file is missing.
      .option('--write-env <file>', 'write the signing secret to a variable in this file', parseText)
      .option('--env-name <name>', 'name of that variable', parseVariable, 'WEBHOOK_SECRET')
      .addOption(new Option('--json', 'print one JSON object on each line').conflicts('printSecret'))
  );
}

async function run(flags: Flags, findApiUrl: FindApiUrl | undefined): Promise<void> {
  const stopping = new AbortController();
  let stoppedBy: StopReason | undefined;
  onStop(
    (reason) => {
      stoppedBy = reason;
      stopping.abort();
    },
    { script: 'bin/listen.ts' },
  );
  const { listening, report } = await start(flags, findApiUrl);
  const { webhookId, close } = listening;
  const stoppedEarlyBy = stoppedBy;
  const isGone = await endpointGone(listening, stopping.signal, (reason) => report.note(`${reason}. Still listening`));
  if (isGone) {
    await close().catch(() => undefined);
    throw new Error(
      `Endpoint ${webhookId} is gone: it was deleted, its key was revoked, or the stack was started again. ` +
        'Run this command again',
    );
  }
  await close();
  report.stopped(webhookId);
  if (stoppedEarlyBy !== undefined) process.exitCode = exitCodeOf(stoppedEarlyBy);
}

async function start(
  flags: Flags,
  findApiUrl: FindApiUrl | undefined,
): Promise<{ readonly listening: Listening; readonly report: Report }> {
  if (findApiUrl === undefined && !existsSync(flags.stackFile)) {
    if (flags.api === undefined) {
      throw new UsageError('Give the address of the API with --api https://…, and an API key in API_KEY');
    }
    if (flags.url === undefined && isLoopback(flags.api)) {
      throw new UsageError(
        `${flags.stackFile} is missing: name the file .local/stack.json of the clone that runs ${flags.api} with ` +
          '--stack-file, or give the address of a deployed API with --api https://…',
      );
    }
  }
  const target = await findTarget(flags, {
    environmentKey: process.env.API_KEY || undefined,
    ...(findApiUrl === undefined ? {} : { findApiUrl }),
  });
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
    onReady: (ready) => {
      if (flags.writeEnv !== undefined) setVariable(flags.writeEnv, flags.envName, ready.secret);
      report.ready(ready);
    },
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
  return `${typedScript('emit')} run.settled --customer ${customerId}${typedStackFile(stackFile)}`;
}

function parseApi(text: string): string {
  const url = URL.parse(text);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.href));
  if (url !== null && isAllowed) return url.href.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an https URL, such as https://api.example.com');
}
