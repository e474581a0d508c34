import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nextAttemptAt } from '#shared/domain/retry-plan.ts';
import { startDynamodb } from '../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { startSqs } from '../../tools/local/aws/sqs/start-sqs.ts';
import type { Post } from '../../tools/local/parties/customer/customer-client.ts';
import { verifySignature } from '../../tools/local/parties/receiver/check-signature.ts';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { createTestAuthority } from '../support/http/certificates.ts';
import { scanTable } from '../support/releases/scan-table.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { dueTime, queueSize, retrySchedules } from '../support/stack/stack.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import {
  allEnded,
  createWorkplace,
  processTree,
  type StackProgram,
  startStackProgram,
  type Workplace,
} from '../support/stack/stack-process.ts';
import { type OwnReceiver, startOwnReceiver } from '../support/stack/stack-receiver.ts';

/** Two starts of the whole stack, and all that is done on it, on a machine that may be busy. Milliseconds. */
const timeLimit = 900_000;

let workplace: Workplace;
let receiver: OwnReceiver;
let stack: StackProgram;

/** Starts the stack with data that it keeps and a receiver that outlives it. */
const start = async (): Promise<StackProgram> => {
  const flags = ['--port', '0', '--time-scale', '3000', '--data', 'data', '--trust-origin', receiver.origin];
  return await startStackProgram(workplace, flags, {
    NODE_EXTRA_CA_CERTS: join(workplace.dir, 'receiver-ca.pem'),
  });
};

beforeAll(async () => {
  workplace = await createWorkplace();
  const authority = await createTestAuthority();
  await writeFile(join(workplace.dir, 'receiver-ca.pem'), authority.ca);
  receiver = await startOwnReceiver(await authority.issue({ dns: ['localhost'] }), (path, number) => {
    if (path === '/holds-first') return number === 1 ? 'hold' : 200;
    return number === 3 ? 'hold' : 500;
  });
  stack = await start();
}, timeLimit);

afterAll(async () => {
  stack?.program.kill();
  await stack?.program.exited();
  await receiver?.close();
  await workplace.remove();
});

it('a restart counts each POST in flight as an interrupted attempt, and the deliveries end within three attempts', async () => {
  const customer = firstCustomer(stack.info);
  const one = await customer.register(`${receiver.origin}/holds-first`);
  const other = await customer.register(`${receiver.origin}/holds-third`);
  expect([one, other].map(({ test_delivery }) => test_delivery)).toMatchObject([delivered, delivered]);
  await customer.settleRun();
  await eventually(async () => expect(postCounts()).toEqual([1, 3]));

  await killAll(stack);
  const claims = await endLeases(stack.info);
  const waiting = await readDeliveryQueue(stack.info);
  stack = await start();

  const { info } = stack;
  const restarted = firstCustomer(info);
  const first = await restarted.endedDelivery(one.webhook.id);
  const third = await restarted.endedDelivery(other.webhook.id);
  expect(claims).toEqual([
    ['pending', 1],
    ['pending', 3],
  ]);
  expect(waiting.visible).toBeGreaterThanOrEqual(2);
  expect(first).toMatchObject({ status: 'delivered', attempts: 2, response_status: 200 });
  expect(first.attempt_log).toMatchObject([interrupted, { outcome: 'acknowledged', error: null }]);
  const { error } = interrupted;
  expect(third).toMatchObject({ status: 'failed', attempts: 3, response_status: null, error });
  expect(third.attempt_log).toMatchObject([{ outcome: 'rejected' }, { outcome: 'rejected' }, interrupted]);
  expectSameSignedEvent(receiver.posts('/holds-first'), first.event_id, one.secret);
  expect(postCounts()).toEqual([2, 3]);
  const history = `${info.endpoints.scheduler}/_history`;
  const retry = only(await retrySchedules(history, first.id));
  const interruptedUntil = logEnd(first.attempt_log[0]);
  expect(retry.name).toBe(`${first.id}-2`);
  const due = nextAttemptAt(first.id, 1, interruptedUntil) ?? Number.NaN;
  expect(Math.abs(dueTime(retry) - due)).toBeLessThanOrEqual(2_000);
  expect(await retrySchedules(history, third.id)).toEqual([]);
});

const delivered = { status: 'delivered', error: null };
const interrupted = {
  outcome: 'interrupted',
  response_status: null,
  error: expect.stringContaining('interrupted'),
};

function firstCustomer(info: StackFile): StackCustomer {
  const [customer] = info.customers;
  if (customer === undefined) throw new Error('The stack has no customer');
  return new StackCustomer(info, customer);
}

const postCounts = () => ['/holds-first', '/holds-third'].map((path) => receiver.posts(path).length);

/** The stack's own process is killed; anything that it started has to notice by itself. */
async function killAll({ program }: StackProgram): Promise<void> {
  const pids = await processTree(program.pid);
  program.kill();
  await program.exited();
  await allEnded(pids);
}

/** Lets the leases of all claims be over. @returns status and attempts of the claimed deliveries, as they were left */
async function endLeases({ table_name: TableName }: StackFile) {
  await using dynamodb = await startDynamodb({ dataDir: join(workplace.dir, 'data', 'dynamodb') });
  const { call } = dynamodb;
  const claimed = (await scanTable(call, TableName)).filter((row) => 'claim_token' in row);
  for (const { pk, sk } of claimed) {
    await call('UpdateItem', {
      TableName,
      Key: { pk, sk },
      UpdateExpression: 'SET lease_until = :past',
      ConditionExpression: 'lease_until > :past',
      ExpressionAttributeValues: { ':past': { N: String(Date.now() - 1) } },
    });
  }
  return claimed.map(({ status, attempts }) => [status?.S, Number(attempts?.N)]).toSorted();
}

/** What the killed stack left in the delivery queue. */
async function readDeliveryQueue({ delivery_queue_url }: StackFile) {
  await using sqs = await startSqs({ port: 0, dataDir: join(workplace.dir, 'data', 'sqs') });
  return await queueSize(sqs.url, `${sqs.url}${new URL(delivery_queue_url).pathname}`);
}

function expectSameSignedEvent(received: readonly Post[], eventId: string, secret: string): void {
  const [first, ...later] = received;
  expect(received.map(({ headers }) => headers['x-service-event-id'])).toEqual(received.map(() => eventId));
  for (const { body } of later) expect(body).toEqual(first?.body);
  for (const { body, headers } of received) {
    const signature = headers['x-service-signature'] ?? '';
    expect(verifySignature(signature, body, secret, Date.now() / 1_000)).toBe(true);
  }
}

function logEnd(entry: { readonly at: string; readonly duration_ms: number } | undefined): number {
  if (entry === undefined) throw new Error('The attempt was not logged');
  return Date.parse(entry.at) + entry.duration_ms;
}
