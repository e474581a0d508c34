import fc from 'fast-check';
import { describe, it } from 'vitest';
import { replayOf } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { missingDynoxide, startDynoxide } from '../support/aws/dynoxide.ts';
import { inProcessTable } from '../support/aws/in-process-table.ts';
import { useTable } from '../support/aws/table.ts';
import { groupedTablePorts } from '../support/table/table-ports.ts';
import { buildBulkReplay, customerId, startOfTest } from '../support/values/builders.ts';
import {
  anyCall,
  call,
  compareAnswers,
  deliveryTo,
  endpointOf,
  idOf,
  type names,
  number,
  reserve,
  time,
  webhook,
} from './port-calls.ts';

/**
 * Random sequences of calls of the table ports, on the DynamoDB of the local stack and on Dynoxide, which others wrote:
 * whatever the adapters ask, both answer alike. `random-requests.test.ts` compares what no adapter asks.
 */
const sequences = 20;

const replayTo = (name: (typeof names)[number], which: number) =>
  replayOf(deliveryTo(name), deliveryId(startOfTest + which, digest('replay', name), 1));
const jobOf = (name: string, which: number) =>
  buildBulkReplay({ webhookId: idOf(name) }, startOfTest + which, digest('job', name));
const status = fc.constantFrom('failed', 'delivered');

const anyReplayCall = fc.oneof(
  call('reserve', [webhook, number], reserve),
  call('replay', [webhook, number, fc.constantFrom('any', 'as read', 'failed')], async (ports, name, which, asked) => {
    const stored = asked === 'as read' ? await ports.readDelivery(deliveryTo(name)) : null;
    const only = asked === 'failed' ? ({ status: 'failed', replayedBy: null } as const) : stored;
    return ports.storeReplay(replayTo(name, which), startOfTest, only);
  }),
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

const missing = missingDynoxide();

describe.skipIf(missing !== null)(`two implementations of DynamoDB${missing === null ? '' : ` (${missing})`}`, () => {
  const { current } = useTable(startDynoxide);

  it.each(Array.from({ length: sequences }, (_, seed) => seed))(
    'two implementations of DynamoDB answer alike to whatever the adapters ask of them in turn (%i)',
    async (seed) => {
      const anyOfAll = fc.oneof({ weight: 2, arbitrary: anyCall }, { weight: 1, arbitrary: anyReplayCall });
      await compareAnswers(anyOfAll, seed, groupedTablePorts(inProcessTable()), groupedTablePorts(current()));
    },
  );
});
