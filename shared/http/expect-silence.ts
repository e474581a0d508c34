import type { Socket } from 'node:net';
import { AttemptFailure } from './attempt-failure.ts';

export class SpokeEarly extends AttemptFailure {
  constructor() {
    super('invalid_response', 'The receiver responded before the request was sent');
  }
}

/**
 * Runs `during` while the receiver must be silent: bytes before the request cannot be its response.
 *
 * @throws SpokeEarly when the receiver sends anything
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
  throw new SpokeEarly();
}
