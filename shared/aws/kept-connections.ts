import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Clock } from '#shared/operations/ports.ts';

/**
 * Milliseconds after which an idle connection is closed instead of used. A function can be frozen for hours, and the
 * packets that ended its connections are lost then: a request would wait for a response until its timeout. AWS's own
 * SDK for Java uses none after a minute.
 */
const longestIdle = 50_000;

type HttpRequest = Parameters<NodeHttpHandler['handle']>[0];

export type RequestOptions = NonNullable<Parameters<NodeHttpHandler['handle']>[1]> & {
  /** Called when the request leaves, each time that it is tried. */
  readonly onSent?: () => void;
};

export type HandlerSettings = {
  readonly connectionTimeout: number;
  readonly socketTimeout: number;
  readonly httpAgent: AgentOptions;
  readonly httpsAgent: AgentOptions;
};

/**
 * Sends the requests of one AWS client on kept connections, any number of which may have ended since their last use.
 * A request that meets an ended one is sent once more at once, and all idle connections are closed, because they are as
 * old. The retries of the SDK would meet one after the other, and its budget for retries would not suffice for many
 * calls at once. A repeated request is safe, as every retry of the SDK is.
 */
export class KeptConnectionsHandler extends NodeHttpHandler {
  readonly #kept: KeptConnections;

  constructor({ httpAgent, httpsAgent, ...settings }: HandlerSettings, now: Clock = Date.now) {
    const kept = new KeptConnections(now);
    super({
      ...settings,
      httpAgent: kept.watch(new Agent({ keepAlive: true, ...httpAgent })),
      httpsAgent: kept.watch(new SecureAgent({ keepAlive: true, ...httpsAgent })),
    });
    this.#kept = kept;
  }

  override async handle(request: HttpRequest, options: RequestOptions = {}) {
    this.#kept.close(longestIdle);
    try {
      options.onSent?.();
      return await super.handle(request, options);
    } catch (error) {
      if (!this.#kept.hadEnded(error)) throw error;
      options.onSent?.();
      return await super.handle(request, options);
    }
  }
}

class KeptConnections {
  readonly #now: Clock;
  readonly #agents: Agent[] = [];
  readonly #idleSince = new WeakMap<object, number>();
  /** Errors of requests on connections that had been used before. */
  readonly #errors = new WeakSet<object>();

  constructor(now: Clock) {
    this.#now = now;
  }

  watch<A extends Agent>(agent: A): A {
    const { keepSocketAlive, reuseSocket } = agent;
    agent.keepSocketAlive = (socket) => {
      this.#idleSince.set(socket, this.#now());
      return keepSocketAlive.call(agent, socket);
    };
    agent.reuseSocket = (socket, request) => {
      reuseSocket.call(agent, socket, request);
      request.once('error', (error) => {
        this.#errors.add(error);
        this.close(0);
      });
    };
    this.#agents.push(agent);
    return agent;
  }

  /** Whether a request failed because its connection, which had been used before, had ended. */
  hadEnded(error: unknown): boolean {
    return error instanceof Error && this.#errors.has(error);
  }

  /** Closes the connections that are idle for at least that many milliseconds. */
  close(idleFor: number): void {
    const latest = this.#now() - idleFor;
    for (const socket of this.#agents.flatMap(({ freeSockets }) => Object.values(freeSockets)).flat()) {
      // A clock that was set back makes none younger.
      const since = socket === undefined ? 0 : (this.#idleSince.get(socket) ?? 0);
      if (since <= latest || since > this.#now()) socket?.destroy();
    }
  }
}
