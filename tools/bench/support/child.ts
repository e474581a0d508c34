import type { ChildProcess } from 'node:child_process';

type Request = { readonly id: number; readonly request: unknown };
type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string };

/** Sends a request to a process. Rejects with its error, or when it ends. */
export type Ask = (request: unknown) => Promise<unknown>;

/** @param child a process that calls `answerRequests()` */
export function askProcess(child: ChildProcess): Ask {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', ({ id, value, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('Cannot measure: a process ended'));
  });
  let lastId = 0;
  return (request) => {
    const answered = Promise.withResolvers<unknown>();
    lastId += 1;
    waiting.set(lastId, answered);
    child.send({ id: lastId, request } satisfies Request);
    return answered.promise;
  };
}

/** Answers the requests of the program that started this process, and ends with it. */
export function answerRequests(answer: (request: never) => unknown): void {
  const run = async ({ id, request }: Request): Promise<Answer> => {
    try {
      return { id, value: await answer(request as never) };
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) };
    }
  };
  process.on('message', async (request: Request) => process.send?.(await run(request)));
  process.on('disconnect', () => process.exit());
}
