import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import { type LoopbackServer, listenOnLoopback, sendJson } from '../../tools/local/servers/loopback-server.ts';

/** The result of every request during an outage. */
export type Fault =
  /** Connections are refused. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted, and requests get no response until the outage ends. */
  | { readonly kind: 'hang' }
  /** The service answers with an error of AWS. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string };

export const describeFault = (fault: Fault): string =>
  fault.kind === 'answer' ? `answers ${fault.status} ${fault.code}` : `${fault.kind}s`;

export type ServiceSwitch = Awaited<ReturnType<typeof switchInFrontOf>>;

/**
 * A proxy before an emulator that begins and ends an outage. The beginning and the end both close open connections.
 *
 * @param target origin of the emulator
 */
export async function switchInFrontOf(target: string) {
  const port = await findFreePort();
  const agent = new Agent({ keepAlive: true });
  const listen = (fault: Fault | null) =>
    listenOnLoopback(
      createServer((incoming, outgoing) => {
        if (fault === null) pass(target, agent, incoming, outgoing);
        else if (fault.kind === 'answer') answerError(fault, incoming, outgoing);
      }),
      port,
    );
  let server: LoopbackServer | null = await listen(null);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Begins an outage, or ends it with `null`. */
    turn: async (fault: Fault | null): Promise<void> => {
      await server?.close();
      server = fault?.kind === 'refuse' ? null : await listen(fault);
    },
    close: async () => {
      await server?.close();
      agent.destroy();
    },
  };
}

function pass(target: string, agent: Agent, incoming: IncomingMessage, outgoing: ServerResponse): void {
  // Services of the local stack respond only to requests with their own address.
  const { method, headers } = incoming;
  const options = { method, headers: { ...headers, host: new URL(target).host }, agent };
  const upstream = request(target + incoming.url, options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  // Otherwise the long poll of a client that is gone would receive a message.
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  incoming.pipe(upstream);
}

/** In the form of the JSON protocols: the header is for Scheduler, the body for the others. */
function answerError(
  { status, code }: Extract<Fault, { kind: 'answer' }>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  incoming.resume();
  outgoing.setHeader('x-amzn-errortype', code);
  const message = 'The service is away';
  sendJson(outgoing, status, { __type: code, message, Message: message });
}
