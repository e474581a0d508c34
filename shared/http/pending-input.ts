import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AttemptFailure } from './attempt-failure.ts';

/**
 * Ends once whatever the kernel has received by now was read and told of. The first turn of the event loop may have
 * polled already; between the two there is a whole poll.
 */
export async function pendingInput(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Tells whether the event loop has gone on since: only then can anything have arrived. */
export function startTurn(): { readonly isOver: () => boolean } {
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  return { isOver: () => isOver };
}

/**
 * Does something while the receiver must be silent: what it says before it is asked answers no request.
 *
 * @throws AttemptFailure when it speaks
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
