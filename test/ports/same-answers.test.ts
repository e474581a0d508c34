import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SettledRun } from '#shared/contract/records/given-results.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { useTable } from '../support/aws/table.ts';
import { memoryTablePorts, type TablePorts } from '../support/memory/table-ports.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  customerId,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';
import { dynamodbTablePorts, overdueBefore } from './dynamodb-ports.ts';

const { current } = useTable();

const sequences = 40;

type Call = { readonly name: string; readonly make: (ports: TablePorts) => Promise<unknown> };

const call = (name: string, make: Call['make']): Call => ({ name, make });

/** Few values of each, so that calls meet. */
const names = ['one', 'two', 'three', 'four', 'five', 'six'] as const;
const webhook = fc.constantFrom(...names);
const fencingToken = fc.constantFrom('t1', 't2');
const attempt = fc.constantFrom(1, 2, 3);
const time = fc.nat(5).map((step) => startOfTest + step * 10_000);

/** Ids are of one sequence only: a transaction that is repeated with its token counts as done. */
const endpointOf = (run: string, name: string) =>
  buildEndpoint({
    id: makeId('webhook', startOfTest, digest(run, name)),
    status: 'failed',
    activatedAt: null,
  });

const deliveryTo = (run: string, name: (typeof names)[number]) =>
  buildDelivery({ webhookId: endpointOf(run, name).id }, names.indexOf(name));

function callsIn(run: string): fc.Arbitrary<Call> {
  const delivery = (name: (typeof names)[number]) => deliveryTo(run, name);
  return fc.oneof(
    fc
      .tuple(webhook, fc.option(time))
      .map(([name, dueAt]) => call(`store ${name}`, (ports) => ports.storeDelivery(delivery(name), dueAt))),
    fc.tuple(webhook, attempt, fencingToken, time).map(([name, number, owner, now]) =>
      call(`claim ${name} ${number} ${owner}`, (ports) =>
        ports.claimAttempt(delivery(name), number, {
          fencingToken: owner,
          leaseUntil: now + 20_000,
          latestDue: now,
        }),
      ),
    ),
    fc.tuple(webhook, attempt, fencingToken, time, fc.boolean()).map(([name, number, owner, now, isLast]) =>
      call(`record ${name} ${number} ${owner} ${isLast}`, (ports) =>
        ports.recordAttempt({
          key: delivery(name),
          attempt: number,
          fencingToken: owner,
          entry: isLast ? acknowledgedAttempt : rejectedAttempt,
          transition: isLast
            ? { status: 'delivered', endedAt: now }
            : { status: 'pending', retryAt: now + 10_000 },
        }),
      ),
    ),
    fc
      .tuple(webhook, attempt, fencingToken)
      .map(([name, number, owner]) =>
        call(`release ${name} ${number} ${owner}`, (ports) =>
          ports.releaseAttempt(delivery(name), number, owner),
        ),
      ),
    fc
      .tuple(webhook, time)
      .map(([name, now]) =>
        call(`cancel ${name}`, (ports) => ports.cancelDelivery(delivery(name), 'endpoint_deleted', now)),
      ),
    fc.tuple(time, time).map(([before, until]) =>
      call('sweep', async (ports) => {
        const found = await overdueBefore(ports, before);
        return Promise.all(found.map((overdue) => ports.deferDue(overdue, until)));
      }),
    ),
    fc
      .tuple(webhook, time)
      .map(([name, dueAt]) => call(`give wake-up ${name}`, (ports) => ports.markDue(delivery(name), dueAt))),
    webhook.map((name) =>
      call(`reserve ${name}`, async (ports) => {
        const { id } = endpointOf(run, name);
        // An endpoint's id is new whenever it is registered.
        if ((await ports.readEndpoint(customerId, id)) !== null) return 'known';
        return ports.reserveEndpoint(endpointOf(run, name), {
          ...delivery(name),
          id: `${delivery(name).id}H`,
        });
      }),
    ),
    webhook.map((name) =>
      call(`delete endpoint ${name}`, (ports) =>
        ports.deleteEndpoint(customerId, endpointOf(run, name).id, startOfTest),
      ),
    ),
    fc
      .tuple(webhook, time)
      .map(([name, now]) =>
        call(`activate ${name}`, (ports) =>
          ports.activateEndpoint(customerId, endpointOf(run, name).id, now),
        ),
      ),
    fc.tuple(webhook, fencingToken, time).map(([name, secret, now]) =>
      call(`rotate ${name} ${secret}`, (ports) =>
        ports.replaceSecret({
          customerId,
          webhookId: endpointOf(run, name).id,
          secret,
          secretPrefix: secret,
          at: now,
          overlapEnd: now + 15_000,
        }),
      ),
    ),
    fc
      .tuple(webhook, time)
      .map(([name, now]) =>
        call(`touch ${name}`, (ports) => ports.noteLastDelivery(endpointOf(run, name), now)),
      ),
    fc
      .tuple(webhook, time)
      .map(([name, now]) => call(`mark ${name}`, (ports) => ports.markSlow(endpointOf(run, name), now))),
    fc
      .tuple(webhook, time)
      .map(([name, since]) =>
        call(`clear ${name}`, (ports) => ports.clearSlow({ ...endpointOf(run, name), slowSince: since })),
      ),
    fc
      .tuple(webhook, fc.constantFrom(1, 2, 4))
      .map(([name, partitions]) =>
        call(`spread ${name} ${partitions}`, (ports) =>
          ports.raisePartitions(customerId, endpointOf(run, name).id, partitions),
        ),
      ),
    fc.tuple(webhook, fc.nat(1), fc.boolean()).map(([name, variant, isToldOf]) =>
      call(`settle ${name}`, (ports) => {
        const settled = settledRun(name, variant);
        const fanOut = { eventId: `evt_${variant}`, acceptedAt: startOfTest, deliveries: [] };
        return isToldOf
          ? ports.storeSettledRunWithFanOut(customerId, settled, fanOut)
          : ports.storeSettledRun(customerId, settled);
      }),
    ),
  );
}

/** Everything that there is to see at the end. */
async function lookAt(ports: TablePorts, run: string) {
  return {
    live: await ports.listLiveEndpoints(customerId),
    waiting: await overdueBefore(ports, startOfTest + 1e9),
    endpoints: await Promise.all(
      names.map((name) => ports.readEndpoint(customerId, endpointOf(run, name).id)),
    ),
    deliveries: await Promise.all(names.map((name) => ports.readDelivery(deliveryTo(run, name)))),
    audit: await Promise.all(names.map((name) => ports.readAuditedDelivery(deliveryTo(run, name)))),
    attempted: await Promise.all(
      names.map((name) => ports.readAttemptTimes(endpointOf(run, name), 0, null, 2)),
    ),
  };
}

describe('the table in memory and DynamoDB', () => {
  it.each(Array.from({ length: sequences }, (_, number) => number))(
    'answer alike to whatever is asked of them in turn (%i)',
    async (seed) => {
      const run = String(seed);
      const scenario = fc.array(callsIn(run), { minLength: 40, maxLength: 60, size: 'max' });
      const [calls = []] = fc.sample(scenario, { numRuns: 1, seed });
      const [memory, dynamodb] = [memoryTablePorts(), dynamodbTablePorts(current())];
      const asked: string[] = [];

      for (const { name, make } of calls) {
        asked.push(name);
        expect(await make(memory), asked.join(', ')).toEqual(await make(dynamodb));
      }

      expect(await lookAt(memory, run), asked.join(', ')).toEqual(await lookAt(dynamodb, run));
    },
  );
});

function settledRun(name: string, variant: number): SettledRun {
  return {
    id: `run_${name}`,
    kind: 'search',
    status: 'completed',
    charge_usd: variant,
    tracker_id: null,
    created_at: '2026-11-20T12:00:00.000Z',
    settled_at: '2026-11-20T12:00:09.000Z',
    error: null,
    problems: null,
  };
}
