import { Command, InvalidArgumentError } from 'commander';
import { exitCodeOf, onStop } from '../../tools/local/stack/when-to-stop.ts';
import { messageOf, runProgram } from '../../tools/operator/cli/run-program.ts';
import { printTable } from '../outages/program.ts';
import { deliverTo } from './deliver-to.ts';
import { servers } from './servers.ts';
import { versionsOf } from './start-server.ts';

const names = Object.keys(servers);
const note = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`);

await runProgram(
  new Command('npm run world --')
    .description('Delivers to real servers on this machine, while they reload and end idle connections.')
    .option('--only <names>', `servers (default: all): ${names.join(',')}`, parseNames)
    .action(run),
  { explain: messageOf },
);

function parseNames(text: string): readonly string[] {
  const given = text.split(',');
  if (given.every((name) => names.includes(name))) return given;
  throw new InvalidArgumentError(`Give names of ${names.join(', ')}, separated by commas`);
}

async function run({ only = names }: { readonly only?: readonly string[] }): Promise<void> {
  let parts = new AsyncDisposableStack();
  const script = 'test/world/main.ts';
  onStop((reason) => void parts.disposeAsync().finally(() => process.exit(exitCodeOf(reason))), { script });
  const rows = [];
  for (const name of only) {
    const versions = await versionsOf(name);
    note(`${name}: ${versions ?? 'skipped, because it is not installed'}`);
    if (versions === null) continue;
    parts = new AsyncDisposableStack();
    rows.push(...(await deliverTo(name, note, parts).finally(() => parts.disposeAsync())));
  }
  if (rows.length === 0) throw new Error('None of these servers is installed');
  printTable(rows);
  // The slow server may need retries.
  if (rows.some((row) => row[row.server === 'slow-gunicorn' ? 'deliveries failed' : 'attempts lost'] > 0)) {
    process.exitCode = 1;
  }
}
