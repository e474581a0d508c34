import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replayOf } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { healthAfter } from '#shared/domain/endpoint-health.ts';
import { makeId } from '#shared/domain/ids.ts';
import { firstWindow } from '#shared/domain/post-window.ts';
import { missingDynoxide, startDynoxide } from '../support/aws/dynoxide.ts';
import { inProcessTable } from '../support/aws/in-process-table.ts';
import { useTable } from '../support/aws/table.ts';
import {
  acknowledgedAttempt,
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  buildOwedNotice,
  customerId,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';
import { buildSettledRun } from '../support/values/stored-results.ts';
import { dynamodbTablePorts, overdueBefore } from './dynamodb-ports.ts';

/**
 * Random sequences of calls of the table ports, on the DynamoDB of the local stack and on Dynoxide, which others wrote:
 * whatever the adapters ask, both answer alike. `random-requests.test.ts` compares what no adapter asks.
 */
const sequences = 20;

type TablePorts = ReturnType<typeof dynamodbTablePorts>;

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
const deliveryTo = (name: (typeof names)[number], status: 'pending' | 'failed' = 'pending') =>
  buildDelivery({ webhookId: idOf(name), status }, names.indexOf(name));
/** Few for each endpoint, so that calls are repeated with the token of an earlier one. */
const number = fc.constantFrom(1, 2);
const replayTo = (name: (typeof names)[number], which: number) =>
  replayOf(deliveryTo(name), deliveryId(startOfTest + which, digest('replay', name), 1));
const jobOf = (name: string, which: number) =>
  buildBulkReplay({ webhookId: idOf(name) }, startOfTest + which, digest('job', name));
const status = fc.constantFrom('failed', 'delivered');

const anyCall = fc.oneof(
  call('store', [webhook, fc.option(time), fc.boolean()], (ports, name, dueAt, isFailed) =>
    ports.storeDelivery(deliveryTo(name, isFailed ? 'failed' : 'pending'), dueAt),
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
  call('reserve', [webhook, number], (ports, name, which) => {
    const delivery = deliveryTo(name);
    return ports.reserveEndpoint(endpointOf(name), { ...delivery, id: `${delivery.id}${which}` });
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

const anyReplayCall = fc.oneof(
  call(
    'replay',
    [webhook, number, fc.constantFrom('any', 'as read', 'failed')],
    async (ports, name, which, asked) => {
      const stored = asked === 'as read' ? await ports.readDelivery(deliveryTo(name)) : null;
      const only = asked === 'failed' ? ({ status: 'failed', replayedBy: null } as const) : stored;
      return ports.storeReplay(replayTo(name, which), startOfTest, only);
    },
  ),
  call('find', [webhook, status, time, time, fc.option(number)], (ports, name, wanted, from, end, after) => {
    const selection = { status: wanted, createdAfter: from - 50_000, createdBefore: end + 1 } as const;
    const page = { after: after === null ? null : replayTo(name, after).id, limit: 2 };
    return ports.readReplayable(endpointOf(name), { selection }, page);
  }),
  call('states', [webhook], (ports, name) =>
    ports.readReplayStates(endpointOf(name), [replayTo(name, 1).id, replayTo(name, 2).id]),
  ),
  call('replays of the event', [webhook], (ports, name) =>
    ports.listEventReplays(endpointOf(name), deliveryTo(name).event.id),
  ),
  call('begin job', [webhook, number], (ports, name, which) => ports.storeBulkReplay(jobOf(name, which))),
  call('claim step', [webhook, number, number, time], (ports, name, which, step, now) =>
    ports.claimReplayStep({ key: jobOf(name, which), step }, { now, leaseUntil: now + 20_000 }),
  ),
  call('record step', [webhook, number, number, fc.boolean()], (ports, name, which, step, isFound) => {
    const progress = { replayed: which, skipped: step, cursor: isFound ? deliveryTo(name).id : null };
    return ports.advanceReplay({ key: jobOf(name, which), step }, progress);
  }),
  call('end job', [webhook, number, time, fc.boolean()], (ports, name, which, at, isDone) =>
    ports.endBulkReplay(
      jobOf(name, which),
      isDone
        ? { status: 'completed', at, progress: { replayed: 1, skipped: 0, cursor: null } }
        : { status: 'cancelled', reason: 'requested', at },
    ),
  ),
  call('jobs', [webhook, fc.option(number)], (ports, name, after) => {
    const page = { after: after === null ? null : jobOf(name, after).id, limit: 1 };
    return ports.readBulkReplays(customerId, idOf(name), page);
  }),
  call('page of the index', [fc.nat(7), time, fc.constantFrom(1, 2)], async (ports, shard, before, limit) => {
    const first = await ports.listOverdue(shard, before, limit, null);
    const second = first.next === null ? null : await ports.listOverdue(shard, before, limit, first.next);
    // The members of a key have no order.
    return [first, second].map((page) => page && { ...page, next: JSON.parse(page.next ?? 'null') });
  }),
  call('recent', [webhook], (ports, name) => ports.readRecentDeliveries(endpointOf(name))),
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

const missing = missingDynoxide();

describe.skipIf(missing !== null)(
  `two implementations of DynamoDB${missing === null ? '' : ` (${missing})`}`,
  () => {
    const { current } = useTable(startDynoxide);

    it.each(Array.from({ length: sequences }, (_, number) => number))(
      'two implementations of DynamoDB answer alike to whatever the adapters ask of them in turn (%i)',
      async (seed) => {
        const anyOfAll = fc.oneof({ weight: 2, arbitrary: anyCall }, { weight: 1, arbitrary: anyReplayCall });
        const scenario = fc.array(anyOfAll, { minLength: 50, maxLength: 70, size: 'max' });
        const [calls = []] = fc.sample(scenario, { numRuns: 1, seed });
        const [local, reference] = [dynamodbTablePorts(inProcessTable()), dynamodbTablePorts(current())];
        const asked: string[] = [];

        for (const { name, make } of calls) {
          asked.push(name);
          expect(await make(local), asked.join(', ')).toEqual(await make(reference));
        }

        expect(await lookAt(local), asked.join(', ')).toEqual(await lookAt(reference));
      },
    );
  },
);
