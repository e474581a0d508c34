import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { listenOnLoopback, readBody } from '../../local/servers/loopback-server.ts';

export type Units = { readonly read: number; readonly write: number };

/** A proxy before a DynamoDB emulator that adds up consumed capacity, whatever client sends the requests. */
export type Meter = AsyncDisposable & {
  readonly url: string;
  /** Takes the units that were consumed since the last call. */
  readonly take: () => Units;
};

const reads: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
const maxBodyBytes = 16 * 1024 * 1024;

const one = z.object({ CapacityUnits: z.number() }).transform(({ CapacityUnits }) => CapacityUnits);
const many = z.array(one).transform((all) => all.reduce((sum, units) => sum + units, 0));
const answered = z.object({
  ConsumedCapacity: z.union([one, many]).default(0),
  __type: z.string().default(''),
});

export async function startMeter(dynamodbUrl: string): Promise<Meter> {
  const agent = new Agent({ keepAlive: true });
  let units: Units = { read: 0, write: 0 };
  const server = createServer((incoming, response) => {
    void forward(incoming, dynamodbUrl, agent).then(
      ({ status, type, body, action }) => {
        const consumed = consumedBy(body);
        units = reads.has(action)
          ? { ...units, read: units.read + consumed }
          : { ...units, write: units.write + consumed };
        response.writeHead(status, { 'Content-Type': type }).end(body);
      },
      () => response.destroy(),
    );
  });
  const { url, close } = await listenOnLoopback(server, 0);
  return {
    url,
    take: () => {
      const taken = units;
      units = { read: 0, write: 0 };
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      await close();
    },
  };
}

/** The emulator reports nothing for a refused write, but DynamoDB bills it: one unit for an item of up to 1 KB. */
function consumedBy(body: Buffer): number {
  const { ConsumedCapacity, __type } = answered.parse(JSON.parse(body.toString()));
  return __type.endsWith('ConditionalCheckFailedException') ? 1 : ConsumedCapacity;
}

type Answer = {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly action: string;
};

async function forward(incoming: IncomingMessage, dynamodbUrl: string, agent: Agent): Promise<Answer> {
  const input: unknown = JSON.parse((await readBody(incoming, maxBodyBytes)).toString());
  const body = Buffer.from(JSON.stringify({ ...Object(input), ReturnConsumedCapacity: 'TOTAL' }));
  const target = String(incoming.headers['x-amz-target']);
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': body.length,
    'X-Amz-Target': target,
    'X-Amz-Date': String(incoming.headers['x-amz-date']),
    Authorization: String(incoming.headers.authorization),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(dynamodbUrl, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body);
  });
  return {
    status: response.statusCode ?? 500,
    type: String(response.headers['content-type']),
    body: await buffer(response),
    action: target.split('.').at(-1) ?? '',
  };
}
