import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import { startStack } from '../../local/stack/start.ts';
import { eventually } from '../support/stack/eventually.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { createWorkplace } from '../support/stack/stack-process.ts';
import { startOwnReceiver } from '../support/stack/stack-receiver.ts';
import { deliveringProcesses, limitProcessor } from './scarce-cpu.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

/** Of one processor: what Lambda gives a function with 256 MB. */
const share = 0.145;
const customersCount = 5;
const endpointsEach = 4;
/** Kept connections close between two rounds. */
const roundMs = 5_000;

/** Rounds, Runs of each customer in each round, and milliseconds within which an event must arrive. */
type Load = { readonly rounds: number; readonly runs: number; readonly within: number };

/** Twenty deliveries in five seconds. */
const ordinary: Load = { rounds: 6, runs: 1, within: 10_000 };

/**
 * 1,800 deliveries take the share about a minute, with many connections opening at the same time. A message that waited
 * for the visibility timeout of its queue would take three.
 */
const burst: Load = { rounds: 3, runs: 30, within: 150_000 };

/** A POST that began before the response to a deletion may be handled here after it. */
const handledWithin = 200;

type Arrival = { readonly runId: string; readonly path: string; readonly at: number };
type Registered = { readonly customer: StackCustomer; readonly id: string; readonly path: string };

describe('delivery functions with the processor time of 256 MB', () => {
  it('no first attempt at a healthy endpoint is late, and no POST begins after the response to a deletion', async () => {
    const { customers, endpoints, arrivals } = await setScene();
    const processes = await deliveringProcesses();
    for (const id of processes) parts.use(await limitProcessor(id, share));
    const usedShare = watchShare(processes);

    for (const load of [ordinary, burst]) {
      const sentAt = await settleRuns(customers, load);
      const waits = () =>
        arrivals.flatMap(({ runId, at }) => (sentAt.has(runId) ? [at - (sentAt.get(runId) ?? 0)] : []));
      const expected = sentAt.size * endpointsEach;
      await eventually(async () => expect(waits()).toHaveLength(expected), { timeout: 300_000 });
      expect(waits().filter((wait) => wait > load.within)).toEqual([]);
    }

    const settling = settleRuns(customers, { ...ordinary, rounds: 3 });
    await sleep(roundMs);
    const deleted = await Promise.all(
      endpoints
        .filter((_, index) => index % 2 === 0)
        .map(async ({ customer, id, path }) => {
          expect((await customer.request('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
          return { path, answeredAt: Date.now() };
        }),
    );
    await settling;
    await sleep(roundMs);
    const after = deleted.flatMap(({ path, answeredAt }) =>
      arrivals.filter((arrival) => arrival.path === path && arrival.at > answeredAt + handledWithin),
    );
    expect(after).toEqual([]);
    expect(usedShare()).toBeLessThan(2 * share);
  });
});

/** A stack whose functions are processes, and endpoints that answer at once. */
async function setScene() {
  const workplace = await createWorkplace();
  parts.defer(() => workplace.remove());
  const stateDir = join(workplace.dir, '.local');
  const arrivals: Arrival[] = [];
  const certificate = await openCertificate(join(stateDir, 'tls'), new Date());
  const receiver = await startOwnReceiver(certificate, (path, _number, { body }) => {
    arrivals.push({ runId: runIdIn(body.toString()), path, at: Date.now() });
    return 200;
  });
  parts.defer(() => receiver.close());
  const trustedOrigins = [receiver.origin];
  const stack = await startStack({
    port: 0,
    stateDir,
    stackFile: null,
    functionsIn: 'processes',
    trustedOrigins,
  });
  parts.defer(() => stack.close());
  await stack.warmUp();
  const { table_name: tableName, endpoints } = stack.info;
  const names = Array.from({ length: customersCount }, (_, index) => `Customer ${index}`);
  const seeded = await seedCustomers({ tableName, dynamodbUrl: endpoints.dynamodb }, names);
  const customers = seeded.map((customer) => new StackCustomer(stack.info, customer));
  return { customers, endpoints: await registerAll(customers, receiver.origin), arrivals };
}

async function registerAll(
  customers: readonly StackCustomer[],
  origin: string,
): Promise<readonly Registered[]> {
  const registered: Registered[] = [];
  for (const [number, customer] of customers.entries()) {
    for (let count = 0; count < endpointsEach; count += 1) {
      const path = `/${number}/${count}`;
      registered.push({ customer, id: (await customer.register(origin + path)).webhook.id, path });
    }
  }
  return registered;
}

/** In each round, Runs of every customer settle. @returns when each was sent, by its id */
async function settleRuns(
  customers: readonly StackCustomer[],
  { rounds, runs }: Omit<Load, 'within'>,
): Promise<ReadonlyMap<string, number>> {
  const sentAt = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const at = Date.now();
    const settling = customers.flatMap((customer) =>
      Array.from({ length: runs }, () => customer.settleRun()),
    );
    const messages = await Promise.all(settling);
    for (const message of messages) sentAt.set(runIdIn(JSON.stringify(message)), at);
    await sleep(roundMs);
  }
  return sentAt;
}

/** The Run that a message of the Run engine, or an event, is about. */
function runIdIn(text: string): string {
  return /"(run_[0-9A-Z]{10,})"/.exec(text)?.[1] ?? '';
}

/** @returns a function that tells the largest share that the main thread of a process has used since the call */
function watchShare(processes: readonly number[]): () => number {
  const startedAt = performance.now();
  const used = () =>
    processes.map((id) => Number(readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ')[0]));
  const before = used();
  return () => {
    const passed = (performance.now() - startedAt) * 1e6;
    return Math.max(...used().map((after, index) => (after - (before[index] ?? 0)) / passed));
  };
}
