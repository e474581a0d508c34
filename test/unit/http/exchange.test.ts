import { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import { exchange } from '#shared/http/exchange.ts';

const kib = 1024;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const untilClose = 'HTTP/1.1 200 OK\r\n\r\n';

/** How often reading stops for a while when these pieces of a response arrive. */
function pausesWith(pieces: readonly string[]): number {
  const socket = new Socket();
  const pause = vi.spyOn(socket, 'pause').mockReturnValue(socket);
  vi.spyOn(socket, 'write').mockReturnValue(true);
  const { signal } = new AbortController();
  void exchange({ socket, request: Buffer.from(''), progress: new AttemptProgress(() => 0), signal });
  for (const piece of pieces) socket.emit('data', Buffer.from(piece, 'latin1'));
  socket.destroy();
  vi.restoreAllMocks();
  return pause.mock.calls.length;
}

it.each([
  ['400 KiB of data in one piece', [untilClose, 'x'.repeat(400 * kib)], 0],
  ['a MiB of data in pieces of 16 KiB', [untilClose, ...Array(64).fill('x'.repeat(16 * kib))], 2],
  ['a hundred chunks of a KiB', [chunked, `400\r\n${'x'.repeat(kib)}\r\n`.repeat(100)], 0],
  ['6 KiB of chunks of one byte', [chunked, '1\r\na\r\n'.repeat(kib)], 1],
  ['60 KiB of such chunks', [chunked, ...Array(10).fill('1\r\na\r\n'.repeat(kib))], 10],
  ['4,096 pieces of one byte', [untilClose, ...Array(4 * kib).fill('x')], 4],
])('a body is read by the work that it takes: %s', (_, pieces, pauses) => {
  expect(pausesWith(pieces)).toBe(pauses);
});
