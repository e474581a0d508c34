/**
 * Process that measures the floor: writes and POSTs without a service around them. Both use connections that are open,
 * and keys that are prepared.
 */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { spreadOf } from '../percentiles.ts';
import { type Floor, type FloorRequest, floorRequestSchema } from './floor-figures.ts';
import { UpdateSigner } from './signed-update.ts';

type Operation = () => Promise<void>;

const atOnce = 8;
const warmUps = 1_500;
const timed = { oneByOne: 300, together: 1_500 };

const floorRequest = floorRequestSchema.parse(JSON.parse(process.argv[2] ?? ''));
const floor: Floor = {
  write: await measure(writeOperation(floorRequest)),
  post: await measure(postOperation(floorRequest)),
};
process.stdout.write(JSON.stringify(floor));
process.exit();

async function measure(operation: Operation): Promise<Floor['write']> {
  await run(operation, warmUps, atOnce);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await run(operation, timed.together, atOnce);
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  const durations = await run(operation, timed.oneByOne, 1);
  return {
    ms: spreadOf(durations).p50,
    loadedMs: elapsedMs / timed.together,
    cpuMs: (user + system) / 1_000 / timed.together,
  };
}

async function run(operation: Operation, count: number, lanes: number): Promise<readonly number[]> {
  const durations: number[] = [];
  let started = 0;
  const work = async () => {
    while (started < count) {
      started += 1;
      const startedAt = performance.now();
      await operation();
      durations.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return durations;
}

function writeOperation({ dynamodbUrl, tableName, region }: FloorRequest): Operation {
  const url = new URL(dynamodbUrl);
  const signer = new UpdateSigner({ host: url.host, region, now: new Date() });
  const agent = new HttpAgent({ keepAlive: true });
  const body = JSON.stringify({
    TableName: tableName,
    Key: { id: { S: 'floor' } },
    UpdateExpression: 'SET #body = :body',
    ConditionExpression: 'attribute_not_exists(#never)',
    ExpressionAttributeNames: { '#body': 'body', '#never': 'never' },
    ExpressionAttributeValues: { ':body': { S: 'x'.repeat(300) } },
  });
  return () => exchange(requestHttp, url, { agent, headers: signer.headers(body, new Date()) }, body);
}

function postOperation({ endpointUrl }: FloorRequest): Operation {
  const url = new URL(endpointUrl);
  const agent = new HttpsAgent({ keepAlive: true });
  const key = createSecretKey(randomBytes(32));
  const body = JSON.stringify({ id: 'evt_floor', type: 'bench.floor', padding: 'x'.repeat(240) });
  return () => {
    const time = Math.floor(Date.now() / 1_000);
    const digest = createHmac('sha256', key).update(`${time}.`).update(body).digest('hex');
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'X-Service-Signature': `t=${time},v1=${digest}`,
    };
    return exchange(requestHttps, url, { agent, headers }, body);
  };
}

function exchange(
  request: typeof requestHttp | typeof requestHttps,
  url: URL,
  options: RequestOptions,
  body: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, method: 'POST' }, (response) => {
      text(response).then((received) => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}: ${received}`));
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
