import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryRoot as root } from '../../lib/build/bundle.ts';
import { openCertificate } from '../../tools/local/parties/receiver/certificates.ts';
import { startReceiver } from '../../tools/local/parties/receiver/start-receiver.ts';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import { eventually } from '../support/stack/eventually.ts';

/** https://pypi.org/project/ministack */
const version = 'ministack==1.5.33';

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** Installs the emulator below `folder`, once, and starts it with a receiver that the functions may reach. */
export async function startEmulator(folder: string, parts: AsyncDisposableStack) {
  await mkdir(folder, { recursive: true });
  const tls = await openCertificate(join(folder, 'tls'), new Date());
  const receiver = parts.use(await startReceiver({ tls, port: 0, inboxPort: 0, now: Date.now }));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const shared = {
    ...process.env,
    // The Node.js of the project runs the functions and the commands.
    PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'preload.mjs')}`,
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', CI: 'true' },
  };
  /** Runs a command against the emulator. @returns what it printed */
  const run = async (cwd: string, command: string, ...args: readonly string[]): Promise<string> => {
    const child = spawn(command, args, { cwd, env: { ...shared, AWS_ENDPOINT_URL: url }, stdio: 'pipe' });
    const ended = once(child, 'close');
    const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    if (code === 0) return printed;
    throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${(printed + errors).slice(-4_000)}`);
  };
  const venv = join(folder, version);
  if (!existsSync(join(venv, 'bin', 'ministack'))) {
    await run(folder, 'python3', '-m', 'venv', venv);
    await run(folder, join(venv, 'bin', 'pip'), 'install', '--quiet', version);
  }
  const env = {
    ...shared,
    ...{ GATEWAY_PORT: String(port), BIND_HOST: '127.0.0.1', MINISTACK_HOST: '127.0.0.1' },
    ...{ MINISTACK_ACCOUNT_ID: '123456789012', EMULATED_FUNCTIONS: '1', NODE_EXTRA_CA_CERTS: tls.caFile },
    ...{ LOCAL_IDLE_TIMEOUT: '60000', LOCAL_TRUSTED_ORIGINS: JSON.stringify([receiver.origin]) },
  };
  const log = openSync(join(folder, 'emulator.log'), 'w');
  const server = spawn(join(venv, 'bin', 'ministack'), { cwd: folder, env, stdio: ['ignore', log, log] });
  parts.defer(async () => {
    const ended = once(server, 'exit');
    if (server.kill()) await ended;
  });
  await eventually(() => fetch(`${url}/_ministack/health`), { timeout: 60_000 });
  return { url, receiver, run };
}
