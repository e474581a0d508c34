import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sessionOf } from '../../local/aws/aws-api.ts';
import { type LoopbackServer, listenOnLoopback } from '../../local/servers/loopback-server.ts';
import { type AwsCall, noUnits, type ServiceName } from './aws-call.ts';
import { capacityOf, queueCapacityOf, withCapacity } from './capacity.ts';
import { actsOnItems, tableCallName } from './table-call-name.ts';

type Exchange = {
  readonly service: ServiceName;
  readonly caller: string | undefined;
  readonly action: string;
  /** The request as the caller sent it. */
  readonly input: object;
  readonly status: number;
  readonly answer: object;
};

/**
 * Proxies before the emulators that count every call as AWS bills it. Each asks DynamoDB for the consumed capacity, and
 * gives the caller the answer that it asked for.
 */
export class AwsMeter implements AsyncDisposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #servers: LoopbackServer[] = [];
  #calls: AwsCall[] = [];

  /**
   * @param target origin of the emulator
   * @returns the origin to use instead
   */
  async inFrontOf(service: ServiceName, target: string): Promise<string> {
    const server = createServer((incoming, outgoing) => {
      this.#serve(service, target, incoming, outgoing).catch(() => outgoing.destroy());
    });
    const listening = await listenOnLoopback(server, 0);
    this.#servers.push(listening);
    return listening.url;
  }

  /** Takes the calls that were answered since the last call. */
  take(): readonly AwsCall[] {
    const taken = this.#calls;
    this.#calls = [];
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    this.#agent.destroy();
  }

  async #serve(
    service: ServiceName,
    target: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const action = actionOf(incoming);
    const caller = sessionOf(incoming);
    const body = await buffer(incoming);
    const input = parseObject(body);
    const sent = service === 'dynamodb' ? Buffer.from(JSON.stringify(withCapacity(action, input))) : body;
    const upstream = await this.#pass(target, incoming, outgoing, sent);
    const received = await buffer(upstream);
    const status = upstream.statusCode ?? 500;
    const answer = parseObject(received);
    // Counted before the caller goes on, so that take() has every call of a function that has ended.
    this.#calls.push(callOf({ service, caller, action, input, status, answer }));
    const given = service === 'dynamodb' ? Buffer.from(JSON.stringify(askedFor(input, answer))) : received;
    outgoing
      .writeHead(status, {
        ...upstream.headers,
        // A client that sees another time than its own repeats a refused call, and a test may have set the clock.
        date: new Date().toUTCString(),
        'content-length': given.length,
      })
      .end(given);
  }

  #pass(
    target: string,
    { method, url = '/', headers }: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
  ): Promise<IncomingMessage> {
    const { 'transfer-encoding': _, ...others } = headers;
    // The emulators refuse requests that are addressed to another origin.
    const { host } = new URL(target);
    const sent: OutgoingHttpHeaders = { ...others, host, 'content-length': body.length };
    return new Promise((resolve, reject) => {
      const upstream = request(target + url, { method, headers: sent, agent: this.#agent }, resolve);
      upstream.on('error', reject);
      // A caller that stops waiting ends a long poll.
      outgoing.once('close', () => void (outgoing.writableFinished || upstream.destroy()));
      upstream.end(body);
    });
  }
}

/** `DynamoDB_20120810.GetItem` → `GetItem`; Scheduler has one call, which its path names. */
function actionOf({ method, headers }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.slice(target.indexOf('.') + 1);
  return method === 'POST' ? 'CreateSchedule' : `${method}`;
}

function parseObject(body: Buffer): object {
  return body.length === 0 ? {} : { ...Object(JSON.parse(body.toString())) };
}

/** The answer without what only the meter asked for. */
function askedFor(input: object, answer: object): object {
  const given: Record<string, unknown> = { ...answer };
  if (!('ReturnConsumedCapacity' in input)) delete given.ConsumedCapacity;
  if ('__type' in answer && !('ReturnValuesOnConditionCheckFailure' in input)) delete given.Item;
  return given;
}

/** A failed call has a name of its own, so that a service that refuses every call cannot pass for one that works. */
function callOf(exchange: Exchange): AwsCall {
  const call = countedCall(exchange);
  return exchange.status < 300 || call.isRefused ? call : { ...call, name: `${call.name}, failed` };
}

function countedCall({ service, caller, action, input, status, answer }: Exchange): AwsCall {
  const call = {
    service,
    caller,
    name: action,
    writeUnits: noUnits,
    readUnits: noUnits,
    isRefused: false,
    requests: 1,
  };
  if (service === 'dynamodb' && actsOnItems(action)) {
    return { ...call, ...capacityOf(action, input, status, answer), name: tableCallName(action, input) };
  }
  if (service === 'sqs' && 'QueueUrl' in input) {
    const { queue, ...counts } = queueCapacityOf(input);
    return { ...call, ...counts, name: `${action} ${queue}` };
  }
  return call;
}
