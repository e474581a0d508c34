import { chunks } from '#shared/domain/chunks.ts';
import type { ItemKey } from './keys.ts';

type Waiting<Input, Output> = {
  readonly key: string;
  readonly input: Input;
  readonly resolve: (output: Output | null) => void;
  readonly reject: (cause: unknown) => void;
};

/** Requests on their way. One would make each group wait for the one before; more of them would carry less each. */
const maxSending = 2;

/**
 * Sends what is asked for in one turn of the event loop together. What is asked for while two requests are on their
 * way forms the next one.
 *
 * @param send takes at most `maximum` inputs about different items, and returns an output for each, in order
 * @returns a function that asks for one item. It returns `null` without a request when the same item is asked for
 *   already, and throws what `send` throws
 */
export function inGroups<Input, Output>(
  maximum: number,
  send: (inputs: readonly Input[]) => Promise<readonly (Output | null)[]>,
): (key: ItemKey, input: Input) => Promise<Output | null> {
  let waiting: Waiting<Input, Output>[] = [];
  let sending = 0;
  const sendGroup = async (group: readonly Waiting<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await send(group.map(({ input }) => input));
      for (const [index, { resolve }] of group.entries()) resolve(outputs[index] ?? null);
    } catch (cause) {
      for (const { reject } of group) reject(cause);
    }
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      await Promise.all(chunks(all, maximum).map(sendGroup));
    }
    sending -= 1;
  };
  return ({ pk, sk }, input) => {
    const key = `${pk} ${sk}`;
    if (waiting.some((other) => other.key === key)) return Promise.resolve(null);
    if (waiting.length === 0 && sending < maxSending) {
      sending += 1;
      setImmediate(sendAll);
    }
    return new Promise((resolve, reject) => waiting.push({ key, input, resolve, reject }));
  };
}
