import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import { starting } from '../../local/stack/starting.ts';
import { type Load, type PlayedEvent, playedEventSchema } from './load.ts';
import { answerSchema, type PartiesRequest, type Received, receivedSchema } from './parties-messages.ts';

/** The Run engine and all endpoints of a benchmark, in a process of their own. */
export type Parties = AsyncDisposable & {
  /** Origin of every endpoint. */
  readonly origin: string;
  /** Folder with the certificate of the endpoints; a stack with this state folder trusts it. */
  readonly stateDir: string;
  /** Sends the events of a load, and waits until they have arrived. Several loads can play at once. */
  readonly play: (load: Load) => Promise<readonly PlayedEvent[]>;
  /** All POSTs so far, without handshakes. */
  readonly received: () => Promise<Received>;
};

type Ask = (request: PartiesRequest) => Promise<unknown>;

/** @param signal ends the process; pending calls then reject */
export async function startParties(signal: AbortSignal): Promise<Parties> {
  return await starting(async (parts) => {
    const stateDir = await mkdtemp(join(tmpdir(), 'bench-'));
    parts.defer(() => rm(stateDir, { recursive: true, force: true }));
    const { key, cert } = await openCertificate(join(stateDir, 'tls'), new Date());
    const ask = parts.use(startProcess(signal)).ask;
    return {
      origin: z.string().parse(await ask({ kind: 'listen', key, cert })),
      stateDir,
      play: async (load) => z.array(playedEventSchema).parse(await ask({ kind: 'play', load })),
      received: async () => receivedSchema.parse(await ask({ kind: 'received' })),
    };
  });
}

function startProcess(signal: AbortSignal): AsyncDisposable & { readonly ask: Ask } {
  const child = fork(fileURLToPath(new URL('./parties-main.ts', import.meta.url)), { signal, execArgv: [] });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', (message) => {
    const { id, answer } = answerSchema.parse(message);
    if ('error' in answer) pending.get(id)?.reject(new Error(answer.error));
    else pending.get(id)?.resolve(answer.value);
    pending.delete(id);
  });
  const ended = endOf(child);
  void ended.then(() => {
    for (const { reject } of pending.values())
      reject(new Error('The process of the Run engine and the endpoints ended'));
    pending.clear();
  });
  let lastId = 0;
  return {
    ask: async (request) => {
      const answered = Promise.withResolvers<unknown>();
      pending.set(++lastId, answered);
      child.send({ id: lastId, request });
      return await answered.promise;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}
