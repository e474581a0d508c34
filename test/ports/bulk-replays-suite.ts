import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { type Delivery, replayOf } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { talliesOf } from '#shared/domain/replay-outcomes.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { buildBulkReplay, buildDelivery, otherWebhookId, startOfTest, webhookId } from '../support/values/builders.ts';

/** What the table owes replays and bulk replays. */
export function bulkReplaysSuite(connect: () => TablePorts | Promise<TablePorts>): void {
  let ports: TablePorts;
  let customerId: string;
  let original: Delivery;
  beforeEach(async () => {
    ports = await connect();
    // The tests share a table, and the requests of each have their own tokens.
    customerId = makeId('customer', startOfTest, randomBytes(10));
    const id = makeId('delivery', startOfTest, zeroPartition());
    original = buildDelivery({ id, customerId, status: 'failed', attempts: 3, endedAt: startOfTest });
    base = randomBytes(10);
  });

  let base: Uint8Array;
  const zeroPartition = () => new Uint8Array([0, ...randomBytes(9)]);
  const numbered = (number: number) => new Uint8Array([...base.slice(0, 9), number]);
  const replayNumber = (number: number) => replayOf(original, deliveryId(startOfTest + number, numbered(number), 1));
  const jobNumber = (number: number) => buildBulkReplay({ customerId }, startOfTest + number, numbered(number));
  const claim = { now: startOfTest, leaseUntil: startOfTest + 60_000 };
  /** Stores a job. @returns it with its first step */
  const start = async () => {
    const job = jobNumber(1);
    await ports.storeBulkReplay(job);
    return { job, step: { key: job, step: 1 } };
  };

  it('storing a replay stores the replay for the sweep and names the newest one on the original', async () => {
    await ports.storeDelivery(original, null);

    expect(await ports.storeReplay(replayNumber(1), startOfTest, null)).toBe(true);
    expect(await ports.storeReplay(replayNumber(2), startOfTest, null)).toBe(true);

    expect(await ports.readDelivery(original)).toEqual({ ...original, replayedBy: replayNumber(2).id });
    expect(await ports.readDelivery(replayNumber(1))).toEqual(replayNumber(1));
  });

  it('storing a replay is refused when the delivery has another newest replay than asked', async () => {
    await ports.storeDelivery(original, null);
    const first = { ...original, replayedBy: replayNumber(1).id };

    expect(await ports.storeReplay(replayNumber(1), startOfTest, original)).toBe(true);
    expect(await ports.storeReplay(replayNumber(2), startOfTest, original)).toBe(false);
    expect(await ports.storeReplay(replayNumber(3), startOfTest, first)).toBe(true);
    expect(await ports.storeReplay(replayNumber(4), startOfTest, first)).toBe(false);

    expect(await ports.readDelivery(original)).toMatchObject({ replayedBy: replayNumber(3).id });
    expect(await ports.readDelivery(replayNumber(2))).toBeNull();
  });

  it('storing a replay makes its state and its event known, at its endpoint alone', async () => {
    await ports.storeDelivery(original, null);
    const replays = [replayNumber(1), replayNumber(2)];
    for (const replay of replays) await ports.storeReplay(replay, startOfTest, null);
    const endpoint = { customerId, id: webhookId };
    const other = { customerId, id: 'whe_other' };
    const ids = replays.map(({ id }) => id);

    expect((await ports.listEventReplays(endpoint, original.event.id)).toSorted()).toEqual(ids.toSorted());
    expect(await ports.listEventReplays(other, original.event.id)).toEqual([]);
    expect(await ports.listEventReplays(endpoint, 'evt_other')).toEqual([]);
    const states = await ports.readReplayStates(endpoint, [...ids, replayNumber(9).id]);
    expect(states.map(({ id, status, replayOf }) => ({ id, status, replayOf }))).toEqual(
      ids.map((id) => ({ id, status: 'pending', replayOf: original.id })),
    );
  });

  it.each([
    { status: 'failed', only: 'delivered' },
    { status: 'pending', only: 'failed' },
    { status: null, only: 'failed' },
    { status: null, only: null },
  ] as const)(
    'storing a replay is refused, and stores nothing, when the original is not as asked: %o',
    async ({ status, only }) => {
      const stored = status === null ? null : { ...original, status };
      if (stored !== null) await ports.storeDelivery(stored, null);

      const asked = only === null ? null : { status: only, replayedBy: null };
      expect(await ports.storeReplay(replayNumber(1), startOfTest, asked)).toBe(false);

      expect(await ports.readDelivery(replayNumber(1))).toBeNull();
      expect(await ports.readDelivery(original)).toEqual(stored);
    },
  );

  it('storing a replay of the same delivery ten times at once makes one replay', async () => {
    await ports.storeDelivery(original, null);
    const replays = Array.from({ length: 10 }, (_, number) => replayNumber(number));

    const stored = await Promise.all(replays.map((replay) => ports.storeReplay(replay, startOfTest, original)));

    expect(stored.filter(Boolean)).toHaveLength(1);
  });

  it('storing a replay to another endpoint names it on the original, and the event has a replay there', async () => {
    await ports.storeDelivery(original, null);
    const id = deliveryId(startOfTest + 1, numbered(1), 1);
    const replay = replayOf(original, id, { webhookId: otherWebhookId });
    const place = { customerId, id: otherWebhookId, deliveryPartitions: 1 };

    expect(await ports.storeReplay(replay, startOfTest, original)).toBe(true);

    expect(await ports.readDelivery(replay)).toMatchObject({ sourceWebhookId: webhookId });
    expect(await ports.readDelivery(original)).toMatchObject({ replayedBy: id });
    expect(await ports.listEventReplays(place, original.event.id)).toEqual([id]);
    expect(await ports.hasFirstDelivery(place, original.event.id)).toBe(false);
    await ports.storeDelivery(buildDelivery({ customerId, webhookId: otherWebhookId }, 0), null);
    expect(await ports.hasFirstDelivery(place, original.event.id)).toBe(true);
  });

  it('tallies count each mark once, however often it is added, for their own job', async () => {
    const { job } = await start();
    const other = { ...jobNumber(2), id: `${job.id}0` };
    const [first = '', second = ''] = talliesOf(job, 100);
    const add = (tally: string, delivered: readonly string[], failed: readonly string[]) =>
      ports.addToTally(job, tally, { delivered, failed });
    await ports.openTallies(job, [first, second], startOfTest);

    expect(await ports.readEndedReplays(job)).toEqual({ delivered: 0, failed: 0 });
    await add(first, ['a', 'b'], []);
    await add(first, ['b'], ['c']);
    await ports.openTallies(job, [first], startOfTest + 1);
    await add(second, [], ['c']);

    expect(await ports.readEndedReplays(job)).toEqual({ delivered: 2, failed: 2 });
    expect(await ports.readEndedReplays(other)).toEqual({ delivered: 0, failed: 0 });
    const listed = await ports.readBulkReplays(customerId, webhookId, { after: null, limit: 10 });
    expect(listed.rows.map(({ id }) => id)).toEqual([job.id]);
  });

  it('tallies are not stored without their job, and what is not stored counts nothing', async () => {
    const job = jobNumber(1);
    const [tally = ''] = talliesOf(job, 1);

    await ports.openTallies(job, [tally], startOfTest);
    await ports.addToTally(job, tally, { delivered: ['a'], failed: [] });

    expect(await ports.readEndedReplays(job)).toEqual({ delivered: 0, failed: 0 });
  });

  it('an endpoint has one bulk replay that is running, and another one after its end', async () => {
    const [first, second] = [jobNumber(1), jobNumber(2)];

    expect(await ports.storeBulkReplay(first)).toBe(true);
    expect(await ports.storeBulkReplay(second)).toBe(false);
    expect(await ports.readRunningReplay(customerId, webhookId)).toBe(first.id);
    expect(await ports.readBulkReplay(first)).toEqual(first);
    expect(await ports.readBulkReplay(second)).toBeNull();

    const end = { status: 'cancelled', reason: 'requested', at: startOfTest + 5 } as const;
    const ended = { ...first, status: 'cancelled', cancelReason: 'requested', endedAt: end.at };
    expect(await ports.endBulkReplay(first, end)).toEqual({ ended: true, job: ended });
    expect(await ports.endBulkReplay(first, { ...end, at: end.at + 1 })).toEqual({
      ended: false,
      job: ended,
    });
    expect(await ports.readRunningReplay(customerId, webhookId)).toBeNull();
    expect(await ports.storeBulkReplay(second)).toBe(true);
    expect(await ports.endBulkReplay(first, { ...end, at: end.at + 2 })).toMatchObject({ ended: false });
    expect(await ports.readRunningReplay(customerId, webhookId)).toBe(second.id);
  });

  it('one worker claims a step, and another one once the first has had its time', async () => {
    const job = jobNumber(1);
    const step = { key: job, step: 1 };
    const refused = { claimed: false, job, heldUntil: null };
    expect(await ports.claimReplayStep(step, claim)).toEqual({ ...refused, job: null });
    await ports.storeBulkReplay(job);

    expect(await ports.claimReplayStep({ key: job, step: 2 }, claim)).toEqual(refused);
    expect(await ports.claimReplayStep(step, claim)).toEqual({ claimed: true, job });
    const later = { now: claim.now + 1, leaseUntil: claim.leaseUntil + 1 };
    expect(await ports.claimReplayStep(step, later)).toEqual({ ...refused, heldUntil: claim.leaseUntil });
    const free = { now: claim.leaseUntil, leaseUntil: claim.leaseUntil + 60_000 };
    expect(await ports.claimReplayStep(step, free)).toEqual({ claimed: true, job });
  });

  it('a claim of a step is made once when its response was lost and the request is repeated', async () => {
    const { job, step } = await start();

    expect(await ports.claimReplayStep(step, claim)).toEqual({ claimed: true, job });
    expect(await ports.claimReplayStep(step, claim)).toEqual({ claimed: true, job });
  });

  it('a cancelled job shows that its step had begun, until the step is recorded', async () => {
    const { job, step } = await start();
    await ports.claimReplayStep(step, claim);
    await ports.endBulkReplay(job, { status: 'cancelled', reason: 'requested', at: startOfTest });
    const again = { ...claim, leaseUntil: claim.leaseUntil + 1 };

    expect(await ports.claimReplayStep(step, again)).toMatchObject({ heldUntil: claim.leaseUntil });
    await ports.advanceReplay(step, { replayed: 1, skipped: 0, cursor: original.id });
    expect(await ports.claimReplayStep(step, again)).toMatchObject({ claimed: false, heldUntil: null });
  });

  it('a step is recorded once, and frees the next one', async () => {
    const { job, step } = await start();
    const progress = { replayed: 7, skipped: 2, cursor: original.id };
    await ports.claimReplayStep(step, claim);

    expect(await ports.advanceReplay(step, progress)).toBe(true);
    expect(await ports.advanceReplay(step, { ...progress, replayed: 9 })).toBe(false);

    const next = { ...job, ...progress, step: 2 };
    const later = { ...claim, leaseUntil: claim.leaseUntil + 1 };
    expect(await ports.claimReplayStep({ key: job, step: 2 }, later)).toEqual({ claimed: true, job: next });
  });

  it('a job without deliveries is recorded without a position', async () => {
    const { job, step } = await start();

    expect(await ports.advanceReplay(step, { replayed: 0, skipped: 0, cursor: null })).toBe(true);
    expect(await ports.readBulkReplay(job)).toEqual({ ...job, step: 2 });
  });

  it('a job ends with the counts of its last step, and no step of it can be claimed', async () => {
    const { job, step } = await start();
    const progress = { replayed: 3, skipped: 1, cursor: original.id };

    const { ended, job: stored } = await ports.endBulkReplay(job, {
      status: 'completed',
      at: startOfTest,
      progress,
    });

    expect(ended).toBe(true);
    expect(stored).toEqual({ ...job, ...progress, status: 'completed', endedAt: startOfTest });
    expect(await ports.claimReplayStep(step, claim)).toEqual({
      claimed: false,
      job: stored,
      heldUntil: null,
    });
  });

  it('bulk replays are listed newest first, page by page, without those of other endpoints', async () => {
    const jobs = [1, 2, 3].map(jobNumber);
    const other = { ...jobNumber(4), webhookId: makeId('webhook', 0, new Uint8Array(10)) };
    for (const job of [...jobs, other]) {
      await ports.storeBulkReplay(job);
      await ports.endBulkReplay(job, { status: 'cancelled', reason: 'requested', at: startOfTest });
    }
    await ports.storeBulkReplay(jobNumber(5));

    const first = await ports.readBulkReplays(customerId, webhookId, { after: null, limit: 2 });
    const second = await ports.readBulkReplays(customerId, webhookId, { after: first.next, limit: 2 });

    const ids = [...first.rows, ...second.rows].map(({ id }) => id);
    expect(ids).toEqual([jobNumber(5), ...jobs.toReversed()].map(({ id }) => id));
    expect(second.next).toBeNull();
  });
}
