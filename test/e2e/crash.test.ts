import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startDynamodb } from '../../local/aws/dynamodb/start-dynamodb.ts';
import { startSqs } from '../../local/aws/sqs/start-sqs.ts';
import type { Post } from '../../local/parties/customer/customer-client.ts';
import { verifySignature } from '../../local/parties/customer/verify-signature.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { createTestAuthority } from '../support/http/certificates.ts';
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

const minute = 60_000;

/** Two starts of the whole stack, one after the other, on a machine that may be busy. Milliseconds. */
const startsPatience = 900_000;

/** Ended last first, whatever the test came to. */
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('a stack that is killed while POSTs are in flight', () => {
  it(
    'a restart counts each POST in flight as an interrupted attempt, and the deliveries end within three attempts',
    async () => {
      const { workplace, receiver, start } = await prepare();
      const killed = await start();
      const customer = firstCustomer(killed.info);
      const one = await customer.register(`${receiver.origin}/holds-first`);
      const other = await customer.register(`${receiver.origin}/holds-third`);
      expect([one, other].map(({ test_delivery }) => test_delivery)).toMatchObject([delivered, delivered]);
      await customer.settleRun();
      await eventually(async () => {
        expect([posts(receiver, 'first'), posts(receiver, 'third')].map(({ length }) => length)).toEqual([
          1, 3,
        ]);
      });

      await killAll(killed);
      const claims = await endLeases(workplace, killed.info);
      const waiting = await readDeliveryQueue(workplace, killed.info);
      const { info } = await start();

      const restarted = firstCustomer(info);
      const first = await restarted.endedDelivery(one.webhook.id);
      const third = await restarted.endedDelivery(other.webhook.id);
      expect(claims.map(({ status, attempts }) => [status, attempts])).toEqual([
        ['pending', 1],
        ['pending', 3],
      ]);
      expect(waiting.visible).toBeGreaterThanOrEqual(2);
      expect(first).toMatchObject({ status: 'delivered', attempts: 2, response_status: 200 });
      expect(first.attempt_log).toMatchObject([interrupted, { outcome: 'acknowledged', error: null }]);
      expect(third).toMatchObject({
        status: 'failed',
        attempts: 3,
        response_status: null,
        error: interrupted.error,
      });
      expect(third.attempt_log).toMatchObject([
        { outcome: 'rejected' },
        { outcome: 'rejected' },
        interrupted,
      ]);
      expectSameSignedEvent(posts(receiver, 'first'), first.event_id, one.secret);
      expect([posts(receiver, 'first'), posts(receiver, 'third')].map(({ length }) => length)).toEqual([
        2, 3,
      ]);
      const history = `${info.endpoints.scheduler}/_history`;
      const retry = only(await retrySchedules(history, first.id));
      const interruptedUntil = logEnd(first.attempt_log[0]);
      expect(retry.name).toBe(`${first.id}-2`);
      expect(Math.abs(dueTime(retry) - interruptedUntil - 10 * minute)).toBeLessThanOrEqual(2_000);
      expect(await retrySchedules(history, third.id)).toEqual([]);
    },
    startsPatience,
  );
});

const delivered = { status: 'delivered', error: null };
const interrupted = {
  outcome: 'interrupted',
  response_status: null,
  error: expect.stringContaining('interrupted'),
};

/** A folder to keep data in, a receiver that outlives the stack, and the way to start one that trusts it. */
async function prepare() {
  const workplace = await createWorkplace();
  closers.push(() => workplace.remove());
  const authority = await createTestAuthority();
  const caFile = join(workplace.dir, 'receiver-ca.pem');
  await writeFile(caFile, authority.ca);
  const receiver = await startOwnReceiver(await authority.issue({ dns: ['localhost'] }), (path, number) => {
    if (path === '/holds-first') return number === 1 ? 'hold' : 200;
    return number === 3 ? 'hold' : 500;
  });
  closers.push(() => receiver.close());
  const flags = ['--port', '0', '--time-scale', '3000', '--data', 'data', '--quiet'];
  const start = async (): Promise<StackProgram> => {
    const started = await startStackProgram(workplace, [...flags, '--trust-origin', receiver.origin], {
      NODE_EXTRA_CA_CERTS: caFile,
    });
    closers.push(async () => {
      started.program.kill();
      await started.program.exited();
    });
    return started;
  };
  return { workplace, receiver, start };
}

function firstCustomer(info: StackFile): StackCustomer {
  const [customer] = info.customers;
  if (customer === undefined) throw new Error('The stack has no customer');
  return new StackCustomer(info, customer);
}

function posts(receiver: OwnReceiver, held: 'first' | 'third'): readonly Post[] {
  return receiver.posts(`/holds-${held}`);
}

/** The stack's own process is killed; what it started has to notice by itself. */
async function killAll({ program }: StackProgram): Promise<void> {
  const pids = await processTree(program.pid);
  expect(pids.length).toBeGreaterThan(1);
  program.kill();
  await program.exited();
  await allEnded(pids);
}

const claimedItems = z
  .object({
    Items: z.array(
      z.object({
        pk: z.object({ S: z.string() }),
        sk: z.object({ S: z.string() }),
        status: z.object({ S: z.string() }),
        attempts: z.object({ N: z.coerce.number() }),
      }),
    ),
  })
  .transform(({ Items }) =>
    Items.map(({ pk, sk, status, attempts }) => ({
      key: { pk, sk },
      status: status.S,
      attempts: attempts.N,
    })),
  );

/** Lets the leases of all claims be over. @returns the claimed deliveries, as they were left, by attempts */
async function endLeases({ dir }: Workplace, { table_name: TableName }: StackFile) {
  await using dynamodb = await startDynamodb({ dataDir: join(dir, 'data', 'dynamodb') });
  const { call, close } = createServiceClient('dynamodb', dynamodb.url);
  try {
    const filter = { TableName, FilterExpression: 'attribute_exists(claim_token)' };
    const claims = claimedItems.parse(await call('Scan', filter));
    for (const { key } of claims) {
      await call('UpdateItem', {
        TableName,
        Key: key,
        UpdateExpression: 'SET lease_until = :past',
        ConditionExpression: 'lease_until > :past',
        ExpressionAttributeValues: { ':past': { N: String(Date.now() - 1) } },
      });
    }
    return claims.toSorted((one, other) => one.attempts - other.attempts);
  } finally {
    close();
  }
}

/** What the killed stack left in the delivery queue. */
async function readDeliveryQueue({ dir }: Workplace, { delivery_queue_url }: StackFile) {
  await using sqs = await startSqs({ port: 0, dataDir: join(dir, 'data', 'sqs') });
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
