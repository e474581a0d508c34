import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import type { SeededCustomer } from '../../local/stack/customer-keys.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { startStack } from '../../local/stack/start.ts';
import type { World } from './measure.ts';
import { startBenchReceiver } from './receiver.ts';

const registered = z.object({ webhook: z.object({ status: z.literal('active') }) });

/** Milliseconds that in-flight deliveries to the slow endpoint get to finish when the stack closes. */
const drainMs = 500;

/** Exit code of a command ended by Ctrl-C. */
const interrupted = 130;

type Request = { readonly quickEndpoints: number; readonly say: (line: string) => void };

/**
 * Starts the stack and the receiver, and registers one slow endpoint and several quick ones. Each endpoint has its own
 * customer, so that one event makes one delivery.
 */
export async function withWorld<R>(request: Request, run: (world: World) => Promise<R>): Promise<R> {
  await using parts = new AsyncDisposableStack();
  const stop = () => void parts.disposeAsync().finally(() => process.exit(interrupted));
  process.once('SIGINT', stop);
  parts.defer(() => void process.off('SIGINT', stop));
  return await run(await makeWorld(parts, request));
}

async function makeWorld(parts: AsyncDisposableStack, { quickEndpoints, say }: Request): Promise<World> {
  const stateDir = await mkdtemp(join(tmpdir(), 'bench-'));
  parts.defer(() => rm(stateDir, { recursive: true, force: true }));
  // The stack finds the same certificate there and trusts it.
  const receiver = await startBenchReceiver(await openCertificate(join(stateDir, 'tls'), new Date()));
  parts.defer(() => receiver.close());
  say('Starting the local stack');
  const trustedOrigins = [receiver.origin];
  const stack = await startStack({ port: 0, stateDir, stackFile: null, trustedOrigins, drainMs });
  parts.defer(() => stack.close());
  await stack.warmUp();
  const { call, close } = createServiceClient('sqs', stack.info.endpoints.sqs);
  parts.defer(close);

  const [slow, ...quick] = await seedCustomers(
    { tableName: stack.info.table_name, dynamodbUrl: stack.info.endpoints.dynamodb },
    ['Slow', ...Array.from({ length: quickEndpoints }, (_, index) => `Quick ${index}`)],
  );
  if (slow === undefined) throw new Error('Cannot register the slow endpoint: its customer was not created');
  await register(stack.info.api_url, slow, `${receiver.origin}/slow`);
  for (const customer of quick)
    await register(stack.info.api_url, customer, `${receiver.origin}/${customer.id}`);
  return {
    stack,
    receiver,
    callSqs: call,
    slowCustomer: slow.id,
    quickCustomers: quick.map(({ id }) => id),
    say,
  };
}

async function register(apiUrl: string, customer: SeededCustomer, url: string): Promise<void> {
  const response = await fetch(`${apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${customer.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  registered.parse(await response.json());
}
