import { connect } from 'node:net';
import type { Certificate } from '../http/certificates.ts';
import { startRawReceiver } from '../http/raw-receiver.ts';

/** A request as its sender wrote it. */
type WireRequest = {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
};

/** Passes https on a port to plain http on another one, byte by byte, and records what the client sent. */
export async function startRecordingTunnel({ cert, key }: Certificate, from: number, to: number) {
  const { received, close } = await startRawReceiver({
    tls: { cert, key },
    port: from,
    onConnection: (socket) => {
      const upstream = connect(to, '127.0.0.1');
      upstream.on('error', () => upstream.destroy());
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    },
  });
  /** Every complete request, in no order across connections. */
  const requests = () => received.flatMap((chunks) => requestsIn(Buffer.concat(chunks)));
  return { requests, close };
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
