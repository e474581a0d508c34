import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificate } from '../http/certificates.ts';

/** A request as its sender wrote it. */
export type WireRequest = {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
};

export type RecordingTunnel = {
  /** Every complete request, in no order across connections. */
  readonly requests: () => readonly WireRequest[];
  close(): Promise<void>;
};

/** Passes https on a port to plain http on another one, byte by byte, and records what the client sent. */
export async function startRecordingTunnel(
  { cert, key }: Certificate,
  from: number,
  to: number,
): Promise<RecordingTunnel> {
  const recorded: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (socket) => {
    const chunks: Buffer[] = [];
    recorded.push(chunks);
    const upstream = connect(to, '127.0.0.1');
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on('error', () => each.destroy());
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(from, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests: () => recorded.flatMap((chunks) => requestsIn(Buffer.concat(chunks))),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The requests of one connection; each has a `Content-Length`. */
function requestsIn(bytes: Buffer): readonly WireRequest[] {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const [, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]);
  const body = bytes.subarray(end + 4, end + 4 + length);
  if (body.length < length) return [];
  return [{ headers, body }, ...requestsIn(bytes.subarray(end + 4 + length))];
}
