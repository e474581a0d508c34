import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Resolves when all input that the kernel has received so far was read and emitted. The first turn of the event loop
 * may have polled already; between the two turns lies a whole poll.
 */
export async function pendingInput(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Closes a connection at a deadline. What arrived in time counts, although this process was too busy to read it. */
export async function closeOnceRead(socket: Socket): Promise<void> {
  await pendingInput();
  socket.destroy();
}

/** Shows whether the event loop has advanced since the call: input can arrive only then. */
export function startTurn(): { readonly isOver: () => boolean } {
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  return { isOver: () => isOver };
}
