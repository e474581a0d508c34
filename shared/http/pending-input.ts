import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AttemptFailure } from './attempt-failure.ts';

/**
 * Resolves when all input that the kernel has received so far was read and emitted. The first turn of the event loop
 * may have polled already; between the two turns lies a whole poll.
 */
export async function pendingInput(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Shows whether the event loop has advanced since the call: input can arrive only then. */
export function startTurn(): { readonly isOver: () => boolean } {
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  return { isOver: () => isOver };
}

/**
 * Runs `during` while the receiver must be silent: bytes before the request cannot be its response.
 *
 * @throws AttemptFailure when the receiver sends anything
 */
export async function expectSilence<T>(socket: Socket, during: () => Promise<T>): Promise<T> {
  let heard = false;
  const hear = () => {
    heard = true;
  };
  socket.on('data', hear);
  const result = await during().finally(() => socket.off('data', hear));
  if (!heard) return result;
  socket.destroy();
  throw new AttemptFailure('invalid_response', 'The receiver responded before the request was sent');
}
