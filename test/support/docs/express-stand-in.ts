import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

type Request = IncomingMessage & { body?: Buffer; get(name: string): string | undefined };
type Response = ServerResponse & { sendStatus(status: number): void };
type Handler = (request: Request, response: Response, next: () => void) => unknown;

const maxBytes = 100 * 1024;

/**
 * As much of Express 5 as the receiver of docs/pages/receive-and-verify.md uses, so that the page is tested where Express
 * is not installed. Like Express, `raw()` leaves the body of a request with another content type unread, and refuses one
 * that is over 100 KB or does not end.
 */
export function express() {
  const routes = new Map<string, readonly Handler[]>();
  const server = createServer((incoming, outgoing) => {
    const request: Request = Object.assign(incoming, {
      get: (name: string) => incoming.headers[name.toLowerCase()]?.toString(),
    });
    const response: Response = Object.assign(outgoing, {
      sendStatus: (status: number) => void outgoing.writeHead(status).end(),
    });
    const handlers = incoming.method === 'POST' ? routes.get(incoming.url ?? '') : undefined;
    if (handlers === undefined) return response.sendStatus(404);
    const run = ([handler, ...rest]: readonly Handler[]): void => {
      handler?.(request, response, () => run(rest));
    };
    run(handlers);
  });
  return {
    post: (path: string, ...handlers: readonly Handler[]) => void routes.set(path, handlers),
    listen: (port: number) => server.listen(port),
  };
}

express.raw =
  ({ type }: { readonly type: string }): Handler =>
  async (request, response, next) => {
    if (request.headers['content-type'] !== type) return next();
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return response.sendStatus(400);
    if (body.length > maxBytes) return response.sendStatus(413);
    request.body = body;
    next();
  };
