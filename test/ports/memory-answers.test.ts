import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '#shared/domain/derived-id.ts';
import { healthAfter } from '#shared/domain/endpoint-health.ts';
import { makeId } from '#shared/domain/ids.ts';
import { firstWindow } from '#shared/domain/post-window.ts';
import { useTable } from '../support/aws/table.ts';
import { memoryTablePorts, type TablePorts } from '../support/memory/table-ports.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  buildOwedNotice,
  customerId,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';
import { buildSettledRun } from '../support/values/stored-results.ts';
import { dynamodbTablePorts, overdueBefore } from './dynamodb-ports.ts';

const { current } = useTable();

const sequences = 10;

type Call = { readonly name: string; readonly make: (ports: TablePorts) => Promise<unknown> };

/** A call with any of some arguments. */
function call<A extends unknown[]>(
  name: string,
  given: { [K in keyof A]: fc.Arbitrary<A[K]> },
  make: (ports: TablePorts, ...args: A) => Promise<unknown>,
): fc.Arbitrary<Call> {
  return fc.tuple<A>(...given).map((args) => ({
    name: `${name} ${args.join(' ')}`,
    make: (ports) => make(ports, ...args),
  }));
}

/** Few values of each, so that calls meet. */
const names = ['one', 'two', 'three', 'four', 'five', 'six'] as const;
const webhook = fc.constantFrom(...names);
const token = fc.constantFrom('t1', 't2');
const attempt = fc.constantFrom(1, 2, 3);
const time = fc.nat(5).map((step) => startOfTest + step * 10_000);

const endpointOf = (name: string) =>
  buildEndpoint({ id: makeId('webhook', startOfTest, digest(name)), status: 'failed', activatedAt: null });
const idOf = (name: string) => endpointOf(name).id;
const deliveryTo = (name: (typeof names)[number]) =>
  buildDelivery({ webhookId: idOf(name) }, names.indexOf(name));

const anyCall = fc.oneof(
  call('store', [webhook, fc.option(time)], (ports, name, dueAt) =>
    ports.storeDelivery(deliveryTo(name), dueAt),
  ),
  call('claim', [webhook, attempt, token, time], (ports, name, number, fencingToken, now) => {
    const claim = { fencingToken, leaseUntil: now + 20_000, latestDue: now };
    return ports.claimAttempt(deliveryTo(name), number, claim);
  }),
  call('record', [webhook, attempt, token, time, fc.boolean()], (ports, name, number, owner, now, isLast) =>
    ports.recordAttempt({
      key: deliveryTo(name),
      attempt: number,
      fencingToken: owner,
      entry: isLast ? acknowledgedAttempt : rejectedAttempt,
      transition: isLast
        ? { status: 'delivered', endedAt: now }
        : { status: 'pending', retryAt: now + 10_000 },
    }),
  ),
  call('release', [webhook, attempt, token], (ports, name, number, owner) =>
    ports.releaseAttempt(deliveryTo(name), number, owner),
  ),
  call('cancel', [webhook, time], (ports, name, now) =>
    ports.cancelDelivery(deliveryTo(name), 'endpoint_deleted', now),
  ),
  call('sweep', [time, time], async (ports, before, until) => {
    const found = await overdueBefore(ports, before);
    return Promise.all(found.map((overdue) => ports.deferDue(overdue, until)));
  }),
  call('give wake-up', [webhook, time], (ports, name, dueAt) => ports.markDue(deliveryTo(name), dueAt)),
  call('reserve', [webhook], async (ports, name) => {
    // An endpoint's id is new whenever it is registered.
    if ((await ports.readEndpoint(customerId, idOf(name))) !== null) return 'known';
    const delivery = deliveryTo(name);
    return ports.reserveEndpoint(endpointOf(name), { ...delivery, id: `${delivery.id}H` });
  }),
  call('delete', [webhook], (ports, name) => ports.deleteEndpoint(customerId, idOf(name), startOfTest)),
  call('activate', [webhook, time], (ports, name, now) =>
    ports.activateEndpoint(customerId, idOf(name), now),
  ),
  call('rotate', [webhook, token, time], (ports, name, secret, at) => {
    const rotation = { secret, secretPrefix: secret, at, overlapEnd: at + 15_000 };
    return ports.replaceSecret({ customerId, webhookId: idOf(name), ...rotation });
  }),
  call('touch', [webhook, time], (ports, name, now) => ports.noteLastDelivery(endpointOf(name), now)),
  call('mark', [webhook, time], (ports, name, now) => ports.markSlow(endpointOf(name), now)),
  call('clear', [webhook, time], (ports, name, slowSince) =>
    ports.clearSlow({ ...endpointOf(name), slowSince }),
  ),
  call('pace', [webhook, time, fc.boolean(), time], (ports, name, notedAt, isAnswering, youngest) => {
    const window = isAnswering ? { size: 2, fastestMs: 5, lastMs: 7 } : firstWindow;
    return ports.notePace(endpointOf(name), { notedAt, isAnswering, window }, youngest);
  }),
  call(
    'end',
    [webhook, time, fc.boolean(), fc.boolean(), fc.boolean()],
    async (ports, name, ...[endedAt, isFailed, isStale, isTest]) => {
      const healthy = { failingSince: null, recoveredAt: null, failureStreak: null };
      const stored = (await ports.readLiveEndpoint(customerId, idOf(name))) ?? healthy;
      const before = isStale ? healthy : stored;
      const ended = {
        deliveryId: `whd_${endedAt}`,
        status: isFailed ? 'failed' : 'delivered',
        endedAt,
        isTest,
      } as const;
      const after = healthAfter(before, ended, 2);
      if (after === before) return 'unchanged';
      const notice = isFailed ? buildOwedNotice({ at: endedAt }) : undefined;
      return ports.storeHealth(endpointOf(name), before, after, notice);
    },
  ),
  call('spread', [webhook, fc.constantFrom(1, 2, 4)], (ports, name, partitions) =>
    ports.raisePartitions(customerId, idOf(name), partitions),
  ),
  call('settle', [webhook, fc.nat(1), fc.boolean()], (ports, name, variant, isToldOf) => {
    const settled = buildSettledRun({ id: `run_${name}`, charge_usd: variant });
    const fanOut = { eventId: `evt_${variant}`, acceptedAt: startOfTest, deliveries: [] };
    return isToldOf
      ? ports.storeSettledRunWithFanOut(customerId, settled, fanOut)
      : ports.storeSettledRun(customerId, settled);
  }),
);

/** Everything that there is to see at the end. */
async function lookAt(ports: TablePorts) {
  return {
    live: await ports.listLiveEndpoints(customerId),
    waiting: await overdueBefore(ports, startOfTest + 1e9),
    endpoints: await Promise.all(names.map((name) => ports.readEndpoint(customerId, idOf(name)))),
    deliveries: await Promise.all(names.map((name) => ports.readDelivery(deliveryTo(name)))),
    audit: await Promise.all(names.map((name) => ports.readAuditedDelivery(deliveryTo(name)))),
    attempted: await Promise.all(names.map((name) => ports.readAttemptTimes(endpointOf(name), 0, null, 2))),
  };
}

describe('the table in memory and DynamoDB', () => {
  it.each(Array.from({ length: sequences }, (_, number) => number))(
    'the table in memory and DynamoDB answer alike to whatever is asked of them in turn (%i)',
    async (seed) => {
      const scenario = fc.array(anyCall, { minLength: 40, maxLength: 60, size: 'max' });
      const [calls = []] = fc.sample(scenario, { numRuns: 1, seed });
      const [memory, dynamodb] = [memoryTablePorts(), dynamodbTablePorts(current())];
      const asked: string[] = [];

      for (const { name, make } of calls) {
        asked.push(name);
        expect(await make(memory), asked.join(', ')).toEqual(await make(dynamodb));
      }

      expect(await lookAt(memory), asked.join(', ')).toEqual(await lookAt(dynamodb));
    },
  );
});
