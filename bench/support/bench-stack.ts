import { z } from 'zod';
import type { SeededCustomer } from '../../local/stack/customer-keys.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import type { StackOptions } from '../../local/stack/stack-options.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import type { BenchContext } from '../bench.ts';
import type { Load, Recipient } from './load.ts';
import { faultOf } from './log-fault.ts';
import type { Parties } from './parties.ts';

/** Milliseconds that work in flight gets when a stack closes: the answer of a slow endpoint is not worth waiting for. */
const drainMs = 500;

const registered = z.object({
  webhook: z.object({ id: z.string(), status: z.literal('active') }),
  secret: z.string(),
});

/** A customer with one active endpoint. */
export type BenchEndpoint = Recipient & {
  readonly apiKey: string;
  readonly webhookId: string;
  /** Signing secret. */
  readonly secret: string;
};

export type BenchStack = AsyncDisposable & {
  readonly stack: RunningStack;
  /** Creates customers with one endpoint each. The query of the endpoint's URL says how it answers. */
  readonly addEndpoints: (count: number, query?: string) => Promise<readonly BenchEndpoint[]>;
  /** Creates one customer with several endpoints, at most five. */
  readonly addFanOut: (count: number) => Promise<Recipient>;
  /** Completes a load for this stack. */
  readonly load: (load: Omit<Load, 'sqsUrl' | 'intakeQueueUrl'>) => Load;
};

/** Starts a stack that keeps its data in memory. Each function loads on its first invocation. */
export async function startBenchStack(
  parties: Parties,
  { signal, say }: Pick<BenchContext, 'signal' | 'say'>,
  options: Partial<StackOptions> = {},
): Promise<BenchStack> {
  const faults = new Set<string>();
  let isClosing = false;
  const reportOnce = (fault: string | null) => {
    // Work that a closing stack ends is no fault.
    if (fault === null || isClosing || signal.aborted || faults.has(fault)) return;
    faults.add(fault);
    say(fault);
  };
  const stack = await startStack({
    port: 0,
    stateDir: parties.stateDir,
    stackFile: null,
    trustedOrigins: [parties.origin],
    drainMs,
    signal,
    onLogLine: (source, line) => reportOnce(faultOf(source, line)),
    onFatal: reportOnce,
    ...options,
  });
  const { endpoints, intake_queue_url: intakeQueueUrl } = stack.info;
  return {
    stack,
    addEndpoints: (count, query = '') => addEndpoints(stack, parties.origin, count, query),
    addFanOut: (count) => addFanOut(stack, parties.origin, count),
    load: (load) => ({ ...load, sqsUrl: endpoints.sqs, intakeQueueUrl }),
    [Symbol.asyncDispose]: async () => {
      isClosing = true;
      await stack.close();
    },
  };
}

async function addEndpoints(
  { info }: RunningStack,
  origin: string,
  count: number,
  query: string,
): Promise<readonly BenchEndpoint[]> {
  const customers = await seedCustomers(
    { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb },
    Array.from({ length: count }, (_, index) => `Customer ${index}`),
  );
  return await Promise.all(customers.map((customer) => register(info.api_url, origin, customer, query)));
}

async function addFanOut({ info }: RunningStack, origin: string, count: number): Promise<Recipient> {
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const [customer] = await seedCustomers(target, ['Several endpoints']);
  if (customer === undefined) throw new Error('Cannot register endpoints: their customer was not created');
  for (let index = 0; index < count; index += 1) await register(info.api_url, origin, customer, '');
  return { customer: customer.id, endpoint: customer.id };
}

async function register(
  apiUrl: string,
  origin: string,
  { id: customer, api_key: apiKey }: SeededCustomer,
  query: string,
): Promise<BenchEndpoint> {
  const response = await fetch(`${apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${origin}/${customer}${query}` }),
  });
  const { webhook, secret } = registered.parse(await response.json());
  return { customer, endpoint: customer, apiKey, webhookId: webhook.id, secret };
}
