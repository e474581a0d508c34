import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import { temporaryFolder } from '../stack-scene.ts';
import { askProcess } from './child.ts';
import type { Received } from './endpoint-server.ts';
import type { Load, PlayedEvent } from './load.ts';
import type { PartiesHandlers } from './parties-main.ts';

/** The Run engine and all endpoints of a benchmark, in a process of their own. */
export type Parties = {
  /** Origin of every endpoint. */
  readonly origin: string;
  /** Folder with the certificate of the endpoints; a stack with this state folder trusts it. */
  readonly stateDir: string;
  /** Sends the events of a load, and waits until they have arrived. Several loads can play at once. */
  readonly play: (load: Load) => Promise<readonly PlayedEvent[]>;
  /** All POSTs so far, without handshakes. */
  readonly received: () => Promise<Received>;
};

/** @param signal ends the process; pending calls then reject */
export async function startParties(parts: AsyncDisposableStack, signal: AbortSignal): Promise<Parties> {
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
    origin: await ask('listen', { key, cert }),
    stateDir,
    play: (load) => ask('play', load),
    received: () => ask('received', undefined),
  };
}
