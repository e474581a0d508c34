import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { AttemptFailure } from './attempt-failure.ts';

/**
 * Ends once whatever the kernel has received by now was read and told of. The first turn of the event loop may have
 * polled already; between the two there is a whole poll.
 */
export async function pendingInput(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/**
 * Looks whether a receiver speaks before it is asked: what it says then answers no request.
 *
 * @throws AttemptFailure when it does
 */
export async function expectSilence(socket: Socket): Promise<void> {
  let heard = false;
  const hear = () => {
    heard = true;
  };
  socket.on('data', hear);
  await pendingInput();
  socket.off('data', hear);
  if (!heard) return;
  socket.destroy();
  throw new AttemptFailure('invalid_response', 'The receiver answered before the request was sent.');
}
