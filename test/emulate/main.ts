import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { repositoryRoot as root } from '../../lib/build/bundle.ts';
import { exitCodeOf, onStop } from '../../tools/local/stack/when-to-stop.ts';
import { messageOf, runProgram } from '../../tools/operator/cli/run-program.ts';
import { installEmbeddedApp } from '../support/programs/embedded-app.ts';
import { deploy, synthesize } from './deploy.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { openCustomer } from './stage.ts';

const note = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`);

const journeys = { 'default-stage': defaultStage, 'embedded-app': embeddedApp, update: updateAndRollBack };

await runProgram(
  new Command('npm run emulate --')
    .description(
      'Deploys to an emulator of AWS: a stage with the default settings, the embedded example, and an update from ' +
        'the last release and back. Installs the emulator from PyPI; needs Python 3.10 or later, git and npm.',
    )
    .addOption(new Option('--only <journeys...>', 'what to do').choices(Object.keys(journeys)))
    .action(emulate),
  { explain: messageOf },
);

async function emulate({ only = Object.keys(journeys) }: { only?: string[] }): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const script = 'test/emulate/main.ts';
  onStop((reason) => void parts.disposeAsync().finally(() => process.exit(exitCodeOf(reason))), { script });
  const folder = join(root, 'dist', 'emulate');
  await rm(join(folder, 'apps'), { recursive: true, force: true });
  const emulator = await startEmulator(folder, parts);
  for (const [name, journey] of Object.entries(journeys).filter(([each]) => only.includes(each))) {
    await fetch(`${emulator.url}/_ministack/reset`, { method: 'POST' });
    await emulator.run(root, 'cdk', 'bootstrap', 'aws://123456789012/us-east-1');
    await mkdir(join(folder, 'apps', name), { recursive: true });
    await journey(emulator, join(folder, 'apps', name));
  }
}

/** The smoke test of an operator passes. */
async function defaultStage(emulator: Emulator, folder: string): Promise<void> {
  const { run, receiver } = emulator;
  await deploy(emulator, await synthesize(emulator, root, join(folder, 'now')));
  note('A stage with the default settings is deployed');
  const receiving = ['--receiver', `${receiver.origin}/smoke`, '--inbox', receiver.inboxUrl];
  note(await run(root, 'node', 'bin/smoke.ts', '--stage', 'dev', ...receiving));
}

/** With nothing installed but the packed construct and its peers; the function of the app makes an event. */
async function embeddedApp(emulator: Emulator, folder: string): Promise<void> {
  const { run, url } = emulator;
  const app = join(folder, 'app');
  await installEmbeddedApp(app);
  // The emulator has no AWS SDK for modules.
  const bundling = ['--bundle', '--platform=node', `--outfile=${join(app, 'engine/index.js')}`];
  await run(join(root, 'examples/embedded'), 'esbuild', 'engine/index.mjs', ...bundling);
  await rm(join(app, 'engine/index.mjs'));
  const templates = await synthesize(emulator, app, join(folder, 'now'));
  const { 'acme-platform': outputs, 'acme-hooks-api': ofApi } = await deploy(emulator, templates);
  note('The embedded example is deployed');
  const customer = await openCustomer(emulator, root, 'demo', ofApi?.ApiUrl);
  const endpoint = await customer.register('engine');
  const at = new Date().toISOString();
  const times = { created_at: at, settled_at: at };
  const settled = { id: 'run_01', kind: 'search', status: 'completed', charge_usd: 0.1, ...times };
  const body = JSON.stringify({ customerId: customer.id, run: settled });
  const engine = `${url}/2015-03-31/functions/${outputs?.EngineName}/invocations`;
  const answer = await fetch(engine, { method: 'POST', body });
  if (answer.headers.has('x-amz-function-error')) throw new Error(await answer.text());
  await customer.until(endpoint, 'delivered', 1);
  note('Its function made an event, and the event was delivered');
}

/** A stage of the last release keeps its API and its deliveries, and goes on delivering. */
async function updateAndRollBack(emulator: Emulator, folder: string): Promise<void> {
  const release = await installRelease(emulator, folder);
  const old = await synthesize(emulator, release, join(folder, 'released'));
  const { 'webhooks-dev-api': outputs } = await deploy(emulator, old);
  const customer = await openCustomer(emulator, release, 'dev', outputs?.ApiUrl);
  const endpoints = [await customer.register('well'), await customer.register('failing?status=500')] as const;
  const lines = async () =>
    (await Promise.all(endpoints.map(customer.history)))
      .flat()
      .map(({ id, event_id, status, created_at }) => [id, event_id, status, created_at].join());
  const goesOn = async (cwd: string, events: number, did: string) => {
    const found = await lines();
    const lost = kept.filter((line) => !found.includes(line));
    if (lost.length > 0) throw new Error(`Once ${did}, the stage had lost or changed ${lost.join('; ')}`);
    await customer.emit(cwd);
    await customer.until(endpoints[0], 'delivered', events);
    note(`Once ${did}, the stage had its ${kept.length} deliveries, and delivered a new event`);
  };
  await customer.emit(release);
  await customer.until(endpoints[0], 'delivered', 1);
  await customer.until(endpoints[1], 'pending', 1);
  const kept = await lines();
  await deploy(emulator, await synthesize(emulator, root, join(folder, 'now')));
  await goesOn(root, 2, 'updated');
  // As docs/operating/upgrade.md says.
  await deploy(emulator, old, 'webhooks-dev-delivery', 'webhooks-dev-api', '--exclusively');
  await deploy(emulator, old);
  await goesOn(release, 3, 'rolled back');
}

/** The newest release that the changelog names. @returns its folder */
async function installRelease({ run }: Emulator, folder: string): Promise<string> {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const [, version, commit = ''] = /^## (\d+\.\d+\.\d+) - .*\n\nCommit `(\w+)`/m.exec(changelog) ?? [];
  const release = join(folder, 'release');
  await mkdir(release);
  await run(root, 'git', 'archive', '--output', join(folder, 'release.tar'), commit);
  await run(release, 'tar', '-xf', join(folder, 'release.tar'));
  await run(release, 'npm', 'ci', '--silent', '--no-audit', '--no-fund');
  note(`Version ${version} is installed`);
  return release;
}
