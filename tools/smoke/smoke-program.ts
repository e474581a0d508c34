import { Command, Option } from 'commander';
import * as z from 'zod';
import { findStageApi } from '#shared/aws/deployed-stage.ts';
import type { Wait } from '#shared/operations/ports.ts';
import { wait as systemWait } from '#shared/runtime/system.ts';
import { readLocalStack, stackFileOption } from '../operator/cli/local-stack-file.ts';
import { ofForm, secondsUpTo } from '../operator/cli/option-parsers.ts';
import { type Output, outputTo } from '../operator/cli/output.ts';
import { openTarget, stageOption, type TargetOptions } from '../operator/cli/target.ts';
import { UsageError } from '../operator/cli/usage-error.ts';
import { openReceiver } from './receivers.ts';
import { runSmoke } from './run-smoke.ts';
import { outcomeJson, outcomeLines, stepLine, throwUnlessPassed } from './smoke-text.ts';

export type SmokeTerminal = {
  readonly print: Output;
  /** Progress, separate from the result. */
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  /** Default: of this process. */
  readonly wait?: Wait;
};

type Options = TargetOptions & {
  readonly receiver?: string;
  readonly inbox?: string;
  readonly wait: number;
  readonly json?: true;
};

const defaultWait = 60;
const maxWait = 600;

const parseReceiver = ofForm((text) => URL.parse(text)?.protocol === 'https:', 'Expected an https URL');
const parseInbox = ofForm(
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  'Expected an http or https URL',
);

/** `npm run smoke -- …` */
export function smokeProgram(terminal: SmokeTerminal): Command {
  return new Command('npm run smoke --')
    .description(
      'Shows that a stage works, with two customers that exist only for this run: one real delivery, and the ' +
        'conformance checks that need no receiver of their own. Afterwards, removes what it made.',
    )
    .configureOutput(outputTo(terminal.print))
    .addOption(stageOption)
    .addOption(stackFileOption)
    .option(
      '--receiver <url>',
      'your own public https receiver, which answers every POST with a 2xx',
      parseReceiver,
    )
    .option('--inbox <url>', 'address that lists what --receiver got, to verify the signatures', parseInbox)
    .option('--wait <seconds>', 'how long the delivery may take', secondsUpTo(maxWait), defaultWait)
    .addOption(new Option('--json', 'print the result as JSON'))
    .action((options: Options) => smoke(terminal, options));
}

async function smoke(
  { print, note, signal, wait = systemWait }: SmokeTerminal,
  options: Options,
): Promise<void> {
  if (options.inbox !== undefined && options.receiver === undefined) {
    throw new UsageError('--inbox belongs to your own receiver: add --receiver <url>, or omit --inbox');
  }
  const [target, place, receiver] = await Promise.all([
    openTarget(options),
    findPlace(options),
    openReceiver(options),
  ]);
  try {
    const result = await runSmoke({
      options,
      target,
      apiUrl: place.apiUrl.replace(/\/+$/, ''),
      queueEndpoint: place.queueEndpoint,
      receiver,
      seconds: options.wait,
      signal,
      onResult: (step) => note(`${stepLine(step)}\n`),
      note,
      wait,
    });
    const shown = { place: { ...place, stage: options.stage ?? null, receiver: receiver.url }, result };
    print(
      options.json === true
        ? `${JSON.stringify(outcomeJson(shown))}\n`
        : `${outcomeLines(shown).join('\n')}\n`,
    );
    throwUnlessPassed(result);
  } finally {
    receiver.close();
  }
}

type Place = {
  readonly apiUrl: string;
  /** Address of the queue service. `undefined`: SQS. */
  readonly queueEndpoint: string | undefined;
};

const localPlace = z.object({
  api_url: z.string(),
  endpoints: z.object({ sqs: z.string() }),
});

async function findPlace({ stage, stackFile }: Options): Promise<Place> {
  if (stage === undefined) {
    const { api_url, endpoints } = await readLocalStack(stackFile, localPlace);
    return { apiUrl: api_url, queueEndpoint: endpoints.sqs };
  }
  return { apiUrl: await findStageApi(stage), queueEndpoint: undefined };
}
