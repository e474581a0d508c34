import { Command, Option } from 'commander';
import type { Wait } from '#shared/operations/ports.ts';
import { wait as systemWait } from '#shared/runtime/system.ts';
import type { Group } from '../conformance/harness/check.ts';
import { stackFileOption } from '../operator/cli/local-stack-file.ts';
import { isHttps, ofForm, secondsUpTo } from '../operator/cli/option-parsers.ts';
import { type Output, type OutputOptions, outputTo, show } from '../operator/cli/output.ts';
import { openTarget, readApiUrl, stageOption } from '../operator/cli/target.ts';
import { UsageError } from '../operator/cli/usage-error.ts';
import { openReceiver, type ReceiverChoice } from './receivers.ts';
import { runSmoke } from './run-smoke.ts';
import { outcomeJson, outcomeLines, throwUnlessPassed } from './smoke-text.ts';

export type SmokeTerminal = {
  readonly print: Output;
  /** Progress, separate from the result. */
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  /** Default: of this process. */
  readonly wait?: Wait;
  /** Default: all checks. */
  readonly groups?: readonly Group[];
};

type Options = ReceiverChoice & OutputOptions & { readonly wait: number };

const defaultWait = 60;
const maxWait = 600;

const parseReceiver = ofForm(isHttps, 'Expected an https URL');
const parseInbox = ofForm((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'Expected an http or https URL');

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
    .option('--receiver <url>', 'your own public https receiver, which answers every POST with a 2xx', parseReceiver)
    .option('--inbox <url>', 'address that lists what --receiver got, to verify the signatures', parseInbox)
    .option('--wait <seconds>', 'how long the delivery may take', secondsUpTo(maxWait), defaultWait)
    .addOption(new Option('--json', 'print the result as JSON'))
    .action((options: Options) => smoke(terminal, options));
}

async function smoke({ print, wait = systemWait, ...terminal }: SmokeTerminal, options: Options): Promise<void> {
  if (options.inbox !== undefined && options.receiver === undefined) {
    throw new UsageError('--inbox belongs to your own receiver: add --receiver <url>, or omit --inbox');
  }
  const [target, apiUrl, receiver] = await Promise.all([
    openTarget(options),
    readApiUrl(options),
    openReceiver(options),
  ]);
  try {
    const result = await runSmoke({ ...terminal, wait, options, target, apiUrl, receiver, seconds: options.wait });
    const place = { stage: options.stage ?? null, api_url: apiUrl, receiver: receiver.url };
    const shown = { place, smoke: result };
    show(print, options, outcomeJson(shown), outcomeLines(shown));
    throwUnlessPassed(result);
  } finally {
    receiver.close();
  }
}
