import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { Post } from '../../../tools/local/parties/customer/customer-client.ts';
import { listenOnLoopback } from '../../../tools/local/servers/loopback-server.ts';
import type { Certificate } from '../http/certificates.ts';

export type OwnReceiver = Awaited<ReturnType<typeof startOwnReceiver>>;

/**
 * A receiver that outlives the stack. Handshakes are answered 200.
 *
 * @param react gets the path, the number of the POST on that path, from 1, and the POST; returns the status to answer, or
 *   `hold` for no answer at all
 */
export async function startOwnReceiver(
  { cert, key }: Certificate,
  react: (path: string, number: number, post: Post) => Promise<number> | number | 'hold',
) {
  const inboxes = new Map<string, Post[]>();
  const server = createServer({ cert, key }, async (request, response) => {
    const path = request.url ?? '';
    const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
    // A killed sender cuts its requests short.
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    if (headers['x-service-event-type'] === 'webhook.test') {
      response.writeHead(200).end();
      return;
    }
    const inbox = inboxes.get(path) ?? [];
    inboxes.set(path, inbox);
    const post = { time: new Date().toISOString(), headers, body };
    const reaction = await react(path, inbox.push(post), post);
    if (reaction !== 'hold') response.writeHead(reaction).end();
  });
  const { port, close } = await listenOnLoopback(server, 0, 'any');
  /** The POSTs to a path, in order, without handshakes. */
  const posts = (path: string): readonly Post[] => inboxes.get(path) ?? [];
  return { origin: `https://localhost:${port}`, posts, close };
}
