import { z } from 'zod';
import { resultOf } from '../../../packages/api-client/client.ts';
import { folderOf } from '../../local/aws/lambda/invocation-record.ts';
import { CustomerClient } from '../../local/parties/customer/customer-client.ts';
import { type SeedTarget, seedCustomers } from '../../local/stack/seed.ts';
import type { StackOptions } from '../../local/stack/stack-options.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import type { BenchContext } from '../bench.ts';
import type { Load, PlayedEvent } from './load.ts';
import type { Parties } from './parties.ts';
import { verifyDelivered } from './verify-delivered.ts';

/** Milliseconds that work in flight gets when a stack closes: the answer of a slow endpoint is not worth waiting for. */
const drainMs = 500;

/** Log lines that are shown as faults: they often repeat. */
const maxFaults = 5;

/** A local stack, with the Run engine and the endpoints outside of it. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

/** Starts a stack that keeps its data in memory. Each function loads on its first invocation. */
export async function startBenchStack(
  parts: AsyncDisposableStack,
  parties: Parties,
  context: BenchContext,
  options: Partial<StackOptions> = {},
) {
  const log = watchLog(context);
  const stack = await startStack({
    port: 0,
    stateDir: parties.stateDir,
    stackFile: null,
    trustedOrigins: [parties.origin],
    drainMs,
    signal: context.signal,
    onLogLine: log.add,
    ...options,
  });
  parts.defer(async () => {
    log.close();
    await stack.close();
  });
  const { endpoints, intake_queue_url: intakeQueueUrl } = stack.info;
  const played: PlayedEvent[] = [];
  const secrets = new Map<string, string>();
  const readers: ReturnType<typeof readerOf>[] = [];
  return {
    /** Where its table is. */
    table: tableOf(stack),
    /** Creates customers with one endpoint each. The query of the endpoint's URL says how it answers. @returns their ids */
    addCustomers: async (count: number, query = '') => {
      const added = await addCustomers(stack, parties.origin, count, query);
      for (const { id, secret, reader } of added) {
        secrets.set(id, secret);
        readers.push(reader);
      }
      return added.map(({ id }) => id);
    },
    /** One for each customer. */
    readers,
    play: async (load: Omit<Load, 'sqsUrl' | 'intakeQueueUrl'>) => {
      const events = await parties.play({ ...load, sqsUrl: endpoints.sqs, intakeQueueUrl });
      played.push(...events);
      return events;
    },
    /** All POSTs so far, without handshakes. */
    arrivals: async () => (await parties.received()).arrivals,
    /** Bytes that the functions of queues have written to their logs. */
    logBytes: log.bytes,
    /** Customers whose endpoint was marked as slow, once for each mark. */
    marked: log.marked,
    /** Waits for late events. @throws Error unless every event that was played arrived once */
    verify: () => verifyDelivered(context, parties.received, played, secrets),
  };
}

function tableOf({ info }: Pick<RunningStack, 'info'>): SeedTarget {
  return { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
}

const marks = z.object({ customer_id: z.string() });

function watchLog({ say, signal }: BenchContext) {
  let [bytes, faults, isClosed] = [0, 0, false];
  const marked: string[] = [];
  const report = (fault: string) => {
    // Work that a closing stack ends is no fault.
    if (isClosed || signal.aborted) return;
    faults += 1;
    if (faults <= maxFaults) say(fault);
  };
  return {
    add: (source: string, line: string) => {
      if (folderOf({ title: source }).startsWith('queue/')) bytes += Buffer.byteLength(line) + 1;
      if (line.includes('"endpoint.slow"')) marked.push(marks.parse(JSON.parse(line)).customer_id);
      if (!isOrdinary(line)) report(`${source}: ${line}`);
    },
    bytes: () => bytes,
    marked: (): readonly string[] => marked,
    close: () => {
      isClosed = true;
    },
  };
}

/**
 * Functions log JSON; anything else is a crash, or comes from the stack. A released attempt returned to its queue, so
 * its delivery is late. Lines are not parsed, because the measurement shares its processors with this program.
 */
function isOrdinary(line: string): boolean {
  return line.startsWith('{') && line.includes('"level":"INFO"') && !line.includes('attempt.released');
}

async function addCustomers({ info }: RunningStack, origin: string, count: number, query: string) {
  const names = Array.from({ length: count }, (_, index) => `Customer ${index}`);
  const registering = (await seedCustomers(tableOf({ info }), names)).map(async (customer) => {
    const client = new CustomerClient(info, customer);
    const { webhook, secret } = await client.register(`${origin}/${customer.id}${query}`);
    return { id: customer.id, secret, reader: readerOf(client, webhook.id) };
  });
  return await Promise.all(registering);
}

/** Reads the deliveries of an endpoint. */
function readerOf({ api }: CustomerClient, id: string) {
  return {
    /** Reads the first page. @returns the id of the newest delivery */
    list: async () => {
      const { items } = await resultOf(api.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id } } }));
      return items[0]?.id ?? '';
    },
    read: async (deliveryId: string) => {
      const params = { path: { id, deliveryId } };
      await resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params }));
    },
  };
}
