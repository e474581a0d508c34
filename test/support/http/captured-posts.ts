import { ok, originOf, type PostWorld } from './post-world.ts';

/** A POST as its bytes say: nothing between the socket and the test has parsed it. */
export type CapturedPost = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/**
 * Starts a receiver that captures each POST and closes its connection.
 * @param answer the bytes of the answer to the POST of that number, counted from 1
 */
export async function capturePosts(world: PostWorld, answer: (number: number) => string = () => ok) {
  const posts: CapturedPost[] = [];
  const receiver = await world.receiver({
    onData: (socket, connection) => {
      const post = parsePost(Buffer.concat(receiver.received[connection] ?? []));
      if (post === null) return;
      posts.push(post);
      socket.end(answer(posts.length));
    },
  });
  return { port: receiver.port, url: `${originOf(receiver.port)}/hook`, posts };
}

/** @returns `null` until the request is complete */
function parsePost(bytes: Buffer): CapturedPost | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/, 2)));
  const body = bytes.subarray(end + 4);
  return body.length < Number(headers['Content-Length']) ? null : { headers, body };
}
