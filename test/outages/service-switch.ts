import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { findFreePort } from '../../local/servers/free-port.ts';
import { answerJson, type LoopbackServer, listenOnLoopback } from '../../local/servers/loopback-server.ts';

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

/**
 * A proxy before an emulator that begins and ends an outage. The beginning and the end both close open connections.
 */
export class ServiceSwitch {
  readonly #target: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #port: number;
  #server: LoopbackServer | null = null;
  #fault: Fault | null = null;

  private constructor(target: string, port: number) {
    this.#target = target;
    this.#port = port;
  }

  /** @param target origin of the emulator */
  static async inFrontOf(target: string): Promise<ServiceSwitch> {
    const made = new ServiceSwitch(target, await findFreePort());
    await made.#listen();
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async takeAway(fault: Fault): Promise<void> {
    await this.#stop();
    this.#fault = fault;
    if (fault.kind !== 'refuse') await this.#listen();
  }

  async bringBack(): Promise<void> {
    await this.#stop();
    this.#fault = null;
    await this.#listen();
  }

  async close(): Promise<void> {
    await this.#stop();
    this.#agent.destroy();
  }

  async #listen(): Promise<void> {
    const server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
    this.#server = await listenOnLoopback(server, this.#port);
  }

  async #stop(): Promise<void> {
    await this.#server?.close();
    this.#server = null;
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const fault = this.#fault;
    if (fault === null) this.#pass(incoming, outgoing);
    else if (fault.kind === 'answer') answerError(fault, incoming, outgoing);
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // Services of the local stack respond only to requests with their own address.
    const {
      method,
      headers: { host: _host, ...headers },
    } = incoming;
    const options = { method, headers, agent: this.#agent };
    const upstream = request(this.#target + incoming.url, options, (answer) => {
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
}

/** In the form of the JSON protocols: the header is for Scheduler, the body for the others. */
function answerError(
  { status, code }: Extract<Fault, { kind: 'answer' }>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  incoming.resume();
  outgoing.setHeader('x-amzn-errortype', code);
  answerJson(outgoing, status, {
    __type: code,
    message: 'The service is away',
    Message: 'The service is away',
  });
}
