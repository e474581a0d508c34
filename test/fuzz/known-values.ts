import { SQSClient } from '@aws-sdk/client-sqs';
import { vi } from 'vitest';
import * as z from 'zod';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { makeId } from '#shared/domain/ids.ts';
import { randomBytes } from '#shared/runtime/system.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';
import { exampleMessage } from '../../operator/example-messages.ts';
import type { Known } from './requests.ts';

type Customer = StackFile['customers'][number];

const registered = z.object({
  webhook: z.object({ id: z.string() }),
  test_delivery: z.object({ id: z.string() }),
});

/** Customers that are set up together: more would wait for each other until their requests time out. */
const atOnce = 8;

const platform = 'tiktok';
const handle = 'example';

/** Gives each customer an endpoint and stored results, and tells by which path what belongs to it is found. */
export async function knownValues(stack: StackFile, customers: readonly Customer[]): Promise<Known> {
  const made: z.infer<typeof registered>[] = [];
  const results: { run: string; tracker: string }[] = [];
  for (const some of chunks(customers, atOnce)) {
    made.push(...(await Promise.all(some.map((customer) => register(stack, customer)))));
    results.push(...(await Promise.all(some.map((customer) => storeResults(stack, customer)))));
  }
  const last = results.at(-1)?.run ?? '';
  await vi.waitFor(() => isStored(stack, customers.at(-1), last), { timeout: 300_000, interval: 200 });
  return {
    '/v1/webhooks/{id}': made.map(({ webhook }) => webhook.id),
    '/v1/webhooks/{id}/deliveries/{deliveryId}': made.map(({ test_delivery }) => test_delivery.id),
    '/v1/runs/{id}': results.map(({ run }) => run),
    '/v1/trackers/{id}': results.map(({ tracker }) => tracker),
    '/v1/creators/{platform}': customers.map(() => platform),
    '/v1/creators/{platform}/{handle}': customers.map(() => handle),
    '/docs/errors/{code}': customers.map(() => 'not_found'),
  };
}

async function register(stack: StackFile, customer: Customer): Promise<z.infer<typeof registered>> {
  const response = await fetch(`${stack.api_url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${stack.receiver.origin}/fuzz` }),
  });
  return registered.parse(await response.json());
}

async function storeResults(stack: StackFile, { id }: Customer): Promise<{ run: string; tracker: string }> {
  const client = new SQSClient({
    endpoint: stack.endpoints.sqs,
    region: stack.region,
    useQueueUrlAsEndpoint: false,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const at = Date.now();
  const choices = {
    customer: id,
    run: makeId('run', at, randomBytes(10)),
    tracker: makeId('tracker', at, randomBytes(10)),
    platform,
    handle,
  };
  const send = sendToIntake(client, stack.intake_queue_url);
  for (const type of [
    'tracker.saved',
    'creator_videos.saved',
    'change_report.written',
    'run.items_saved',
    'run.settled',
  ]) {
    await send(exampleMessage(type, choices, at, randomBytes));
  }
  client.destroy();
  return choices;
}

async function isStored(stack: StackFile, customer: Customer | undefined, run: string): Promise<void> {
  const response = await fetch(`${stack.api_url}/v1/runs/${run}`, {
    headers: { authorization: `Bearer ${customer?.api_key}` },
  });
  if (response.status !== 200) throw new Error(`The Run is not stored yet: ${response.status}`);
}
