import { connect } from 'node:net';

/** The end of each head, and of each body in chunks. */
const crlf = '\r\n';

/** A body in chunks of one size, as a proxy or a tunnel sends it. */
export function inChunks(
  body: Buffer,
  size: number,
  { extension = '', trailers = '', sizeText = (length: number) => length.toString(16) } = {},
): Buffer {
  const count = Math.ceil(body.length / size);
  const chunks = Array.from({ length: count }, (_, index) => body.subarray(index * size, (index + 1) * size));
  const parts = chunks.flatMap((chunk) => [`${sizeText(chunk.length)}${extension}${crlf}`, chunk, crlf]);
  return Buffer.concat([...parts, `0${extension}${crlf}${trailers}${crlf}`].map((part) => Buffer.from(part)));
}

/**
 * Sends a request byte for byte, and ends its side of the connection.
 *
 * @param headers lines without their ends
 * @returns the status; 0 if the connection ends without one
 */
export function rawPost(url: string, headers: readonly string[], body: Buffer): Promise<number> {
  const { hostname, port, host, pathname } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1];
    if (status !== undefined) resolve(Number(status));
  });
  // A refusal may come before all of the body is sent, and the rest is then sent to nobody.
  socket.on('error', () => {});
  socket.on('close', () => resolve(0));
  socket.write([`POST ${pathname} HTTP/1.1`, `Host: ${host}`, ...headers, crlf].join(crlf));
  socket.end(body);
  return promise.finally(() => socket.destroy());
}
