import type { ChildProcess } from 'node:child_process';

/** What a process answers, by the kind of request. */
type Handlers = Readonly<Record<string, (request: never) => unknown>>;

/** Both ends share the types of the handlers, so no value of the other end has another type than they say. */
type Request = { readonly id: number; readonly kind: string; readonly request: never };
type Answer = { readonly id: number; readonly value: never; readonly error?: string };

/** Sends a request to a process. Rejects with its error, or when it ends. */
export type Ask<H extends Handlers> = <Kind extends keyof H>(
  kind: Kind,
  request: Parameters<H[Kind]>[0],
) => Promise<Awaited<ReturnType<H[Kind]>>>;

/** @param child a process that calls `answerRequests()` with handlers of this type */
export function askProcess<H extends Handlers>(child: ChildProcess): Ask<H> {
  const waiting = new Map<number, Omit<PromiseWithResolvers<never>, 'promise'>>();
  child.on('message', ({ id, value, error }: Answer) => {
    if (error === undefined) waiting.get(id)?.resolve(value);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('Cannot measure: a process ended'));
  });
  let lastId = 0;
  return <Kind extends keyof H>(kind: Kind, request: Parameters<H[Kind]>[0]) => {
    const answered = Promise.withResolvers<Awaited<ReturnType<H[Kind]>>>();
    lastId += 1;
    waiting.set(lastId, answered);
    child.send({ id: lastId, kind, request });
    return answered.promise;
  };
}

/** Answers the requests of the program that started this process, and ends with it. */
export function answerRequests(handlers: Handlers): void {
  const run = async ({ id, kind, request }: Request): Promise<object> => {
    try {
      return { id, value: await handlers[kind]?.(request) };
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) };
    }
  };
  process.on('message', async (request: Request) => process.send?.(await run(request)));
  process.on('disconnect', () => process.exit());
}
