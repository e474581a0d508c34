import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import { askProcess } from './child.ts';
import type { Load } from './load.ts';
import type { PartiesHandlers } from './parties-main.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The Run engine and all endpoints of a benchmark, in a process of their own. */
export type Parties = Awaited<ReturnType<typeof startParties>>;

/** @param signal ends the process; pending calls then reject */
export async function startParties(parts: AsyncDisposableStack, signal: AbortSignal) {
  const stateDir = await temporaryFolder(parts);
  const { key, cert } = await openCertificate(join(stateDir, 'tls'), new Date());
  const program = fileURLToPath(new URL('./parties-main.ts', import.meta.url));
  const child = fork(program, { signal, execArgv: [] });
  // Aborting it is no fault.
  child.on('error', () => undefined);
  parts.defer(async () => {
    if (child.kill()) await once(child, 'exit');
  });
  const ask = askProcess<PartiesHandlers>(child);
  return {
    /** Origin of every endpoint. */
    origin: await ask('listen', { key, cert }),
    /** Folder with the certificate of the endpoints; a stack with this state folder trusts it. */
    stateDir,
    /** Sends the events of a load, and waits until they have arrived. Several loads can play at once. */
    play: (load: Load) => ask('play', load),
    /** All POSTs so far, without handshakes. */
    received: () => ask('received', undefined),
  };
}
