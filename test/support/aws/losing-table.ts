import { once } from 'node:events';
import { createServer, IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import * as z from 'zod';
import { connectTable, type Table } from '#shared/aws/clients.ts';
import { listenOnLoopback, loopbackHost, readBody } from '../../../local/servers/loopback-server.ts';
import { unexpected } from '../operations/deps.ts';
import { localAccess } from './emulators.ts';
import type { TestTable } from './table.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Headers that belong to one connection. */
const hopHeaders = ['host', 'connection', 'content-length'];

/** Not with `fetch`, which does not connect to the emulator's port. */
async function post(
  to: { readonly hostname: string; readonly port: number; readonly headers: Record<string, string> },
  body: Buffer,
): Promise<{ readonly status: number; readonly body: string }> {
  const posting = send({ ...to, method: 'POST', agent: false }).end(body);
  const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(posting, 'response'));
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/**
 * The table as a function reaches it, over a connection that breaks instead of carrying the first good answer to an
 * operation.
 *
 * @param operation such as `UpdateItem`
 */
export async function losingTable(
  { endpoint, name }: TestTable,
  operation: string,
): Promise<{ readonly table: Table; readonly lost: () => number }> {
  const { hostname, port } = new URL(endpoint);
  let lost = 0;
  const server = createServer(async (request, response) => {
    const body = await readBody(request, 65_536);
    const signed = Object.entries(request.headersDistinct).filter(([header]) => !hopHeaders.includes(header));
    const headers = Object.fromEntries(signed.map(([header, values = []]) => [header, values.join()]));
    const answer = await post({ hostname, port: Number(port), headers }, body);
    if (answer.status === 200 && lost === 0 && headers['x-amz-target']?.endsWith(`.${operation}`)) {
      lost += 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answer.body);
  });
  const running = await listenOnLoopback(server, 0);
  const address = { ...localAccess, endpoint: `http://${loopbackHost}:${running.port}` };
  const table = connectTable(name, unexpected('report'), address);
  closers.push(async () => {
    table.client.close();
    await running.close();
  });
  return { table, lost: () => lost };
}
