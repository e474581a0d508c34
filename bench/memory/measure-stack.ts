import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { waitingAttributes } from '#shared/aws/table/keys.ts';
import { CustomerClient } from '../../local/parties/customer/customer-client.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { type StackFile, stackFileSchema } from '../../local/stack/stack-file.ts';
import type { BenchContext } from '../bench.ts';
import { openTable } from '../growth/emulator-table.ts';
import type { StoredItem } from '../growth/items.ts';
import { load } from '../growth/load.ts';
import { deliveryAt } from '../growth/records.ts';
import { temporaryFolder } from '../stack-scene.ts';
import { memoryOfTree, type ProcessMemory } from './process-memory.ts';

const stackProgram = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));
const waitingCount = 10_000;
const startTimeoutMs = 120_000;
const settleMs = 3_000;
const day = 24 * 60 * 60_000;

export type StackMemory = {
  /** Of the figure. */
  readonly name: string;
  readonly state: string;
  readonly processes: readonly ProcessMemory[];
};

/** Memory of a stack in a process of its own. Empty on systems that do not tell. */
export async function measureStack({ say, signal }: BenchContext): Promise<readonly StackMemory[]> {
  await using parts = new AsyncDisposableStack();
  const folder = await temporaryFolder(parts);
  const file = join(folder, 'stack.json');
  say('Starting a stack in a process of its own');
  const child = spawn(process.execPath, [stackProgram, '--port', '0', '--stack-file', file, '--quiet'], {
    cwd: folder,
    stdio: 'ignore',
    signal,
  });
  const ended = once(child, 'exit').catch(() => {});
  parts.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const info = await whenReady(file, signal);
  const states: StackMemory[] = [];
  const look = async (name: string, state: string): Promise<void> => {
    await sleep(settleMs, undefined, { signal });
    const processes = await memoryOfTree(child.pid ?? 0);
    if (processes !== null) states.push({ name, state, processes });
  };
  await look('stackMb', 'ready');
  await deliverOne(info);
  await look('stackAfterEventMb', 'after a delivered event');
  await storeWaiting(info, signal);
  await look('stackWithWaitingMb', `with ${waitingCount.toLocaleString('en')} waiting deliveries`);
  return states;
}

async function whenReady(file: string, signal: AbortSignal): Promise<StackFile> {
  const giveUpAt = performance.now() + startTimeoutMs;
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text !== '') return stackFileSchema.parse(JSON.parse(text));
    if (performance.now() > giveUpAt) throw new Error('Cannot measure: the stack did not start');
    await sleep(100, undefined, { signal });
  }
}

/** Loads the functions that a delivery needs. */
async function deliverOne(info: StackFile): Promise<void> {
  const [customer] = info.customers;
  if (customer === undefined) throw new Error('Cannot measure: the stack has no customer');
  const client = new CustomerClient(info, customer);
  const { webhook, test_delivery } = await client.register(client.receiver('memory'));
  await client.replay(webhook.id, test_delivery.id);
}

/** Deliveries that wait for a retry: a row in the table, and a message that its queue holds back. */
async function storeWaiting(info: StackFile, signal: AbortSignal): Promise<void> {
  const retryAt = Date.now() + day;
  const rows = function* (): Generator<StoredItem> {
    for (let index = 0; index < waitingCount; index += 1) {
      const delivery = { ...deliveryAt(index), status: 'pending' as const, endedAt: null, retryAt };
      yield { ...toDeliveryItem(delivery), ...waitingAttributes(delivery, retryAt) };
    }
  };
  await load(openTable(info.endpoints.dynamodb, info.table_name), rows(), signal, () => {});
  const { call, close } = createServiceClient('sqs', info.endpoints.sqs);
  for (let sent = 0; sent < waitingCount; sent += 10) {
    const Entries = Array.from({ length: 10 }, (_, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify({
        customer_id: 'cus_1',
        webhook_id: 'whe_1',
        delivery_id: `whd_${sent}`,
        attempt: 2,
      }),
      DelaySeconds: 900,
    }));
    await call('SendMessageBatch', { QueueUrl: info.delivery_queue_url, Entries });
  }
  close();
}
