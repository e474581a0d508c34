import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod';
import { catalogue, selectChecks } from './catalogue.ts';
import { configSchema, type SuiteConfig } from './config.ts';
import { report } from './report.ts';
import { runSuite } from './run-suite.ts';

/** The flags, of which those that are not named here are settings. */
type Flags = {
  readonly config?: object;
  readonly json?: true;
  readonly list?: true;
  readonly only?: readonly string[];
};

export type Terminal = {
  readonly out: (text: string) => void;
  /** Output for waits and progress, separate from the result. */
  readonly note: (text: string) => void;
  readonly setExitCode: (code: number) => void;
  readonly signal: AbortSignal;
};

/** `npm run conformance -- …` */
export function conformanceProgram(terminal: Terminal): Command {
  return new Command('npm run conformance --')
    .description('Check every promise of the API on a running deployment, from outside.')
    .option('--config <file>', 'JSON file with these settings; flags override it', readObject)
    .option('--url <url>', 'base address of the API')
    .option('--docs-url <url>', 'base address of the problem type pages')
    .option('--key <key>', 'API key; repeat for more keys of the same customer', collect)
    .option('--other-key <key>', 'API key of another customer; repeat for more keys', collect)
    .option('--limit-key <key>', 'API key whose request limit the suite uses up')
    .option('--receiver <file or JSON>', 'programmable receiver: origin, inbox_url', readObject)
    .option('--plain-receiver <file or JSON>', 'https address that accepts every POST: url, inbox_url', readObject)
    .option(
      '--intake <file or JSON>',
      'intake: queue_url, endpoint, region, customer_id, other_customer_id',
      readObject,
    )
    .option('--credentials <file or JSON>', 'credentials that only an operator can create', readObject)
    .option('--time-scale <number>', 'factor that shortens the retry intervals of this deployment', Number)
    .option('--slow', 'also run checks that take minutes or an hour')
    .option('--only <text>', 'heading, section, or full or partial name of a check', collect)
    .option('--list', 'list the checks and run none')
    .option('--json', 'print the results as JSON')
    .action((flags: Flags) => run(flags, terminal));
}

async function run(flags: Flags, terminal: Terminal): Promise<void> {
  const groups = selectChecks(catalogue, flags.only ?? []);
  if (flags.list === true) {
    const lines = groups.flatMap(({ heading, section, checks }) =>
      checks.map(({ name }) => `${heading} / ${section}: ${name}\n`),
    );
    terminal.out(lines.join(''));
    return;
  }
  const { sent: _, ...result } = await runSuite(readConfig(flags), {
    groups,
    signal: terminal.signal,
    note: terminal.note,
  });
  terminal.out(flags.json === true ? `${JSON.stringify(result, null, 2)}\n` : report(result));
  if (result.checks.some(({ outcome }) => outcome === 'failed')) terminal.setExitCode(1);
}

function readConfig({ config, ...flags }: Flags): SuiteConfig {
  const given = Object.entries(flags).map(([flag, value]) => [settingOf(flag), value]);
  const parsed = configSchema.safeParse({ ...config, ...Object.fromEntries(given) });
  if (parsed.success) return parsed.data;
  throw new Error(`The settings are not valid:\n${z.prettifyError(parsed.error)}`);
}

/** The setting that a flag overrides: `--key` gives `keys`, and `--docs-url` gives `docs_url`. */
function settingOf(flag: string): string {
  const name = flag.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return name === 'key' || name === 'other_key' ? `${name}s` : name;
}

const objectSchema = z.record(z.string(), z.unknown());

/** @param text a JSON object, or the name of a file with one */
function readObject(text: string): object {
  return objectSchema.parse(JSON.parse(text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8')));
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
