import { describe, expect, it } from 'vitest';
import { cancelDelivery, claimAttempt, recordAttempt } from '#shared/aws/table/attempts.ts';
import { readDelivery, storeDelivery } from '#shared/aws/table/deliveries.ts';
import type { Delivery, Transition } from '#shared/domain/delivery.ts';
import type { RecordedAttempt } from '#shared/operations/ports.ts';
import { useTable } from '../support/aws/table.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const leaseUntil = startOfTest + 30_000;
const delivered: Transition = { status: 'delivered', endedAt: startOfTest + 1200 };
const waits: Transition = { status: 'pending', retryAt: startOfTest + 600_000 };

async function stored(given: Partial<Delivery> = {}): Promise<Delivery> {
  return storeDelivery(current())(buildDelivery(given), null);
}

const claim = (delivery: Delivery, attempt: number, fencingToken: string, now = startOfTest) =>
  claimAttempt(current())(delivery, attempt, { fencingToken, leaseUntil: now + 30_000, latestDue: now });

const record = (key: Delivery, given: Partial<RecordedAttempt> = {}) =>
  recordAttempt(current())({
    key,
    attempt: 1,
    fencingToken: 'ours',
    entry: acknowledgedAttempt,
    transition: delivered,
    ...given,
  });

const read = (delivery: Delivery) => readDelivery(current())(delivery);

describe('storeDelivery()', () => {
  it('keeps the delivery that is there', async () => {
    const first = await stored();

    const second = await storeDelivery(current())({ ...first, body: '{"id":"evt_other"}' }, startOfTest);

    expect(second).toEqual(first);
    expect(await read(first)).toEqual(first);
  });
});

describe('claimAttempt()', () => {
  it('is won by one of 20 workers', async () => {
    const delivery = await stored();
    const tokens = Array.from({ length: 20 }, (_, index) => `worker-${index}`);

    const claims = await Promise.all(tokens.map((fencingToken) => claim(delivery, 1, fencingToken)));

    const winners = tokens.filter((_, index) => claims[index]?.claimed);
    expect(winners).toHaveLength(1);
    const held = { ...delivery, attempts: 1, claim: { fencingToken: winners[0], leaseUntil } };
    expect(claims.map((taken) => taken.delivery)).toEqual(claims.map(() => held));
  });

  it('succeeds again when its own write is repeated', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');

    const repeated = await claim(delivery, 1, 'ours');

    expect(repeated).toMatchObject({ claimed: true, delivery: { attempts: 1 } });
  });

  it('refuses an attempt that is not the next one', async () => {
    const delivery = await stored();

    expect(await claim(delivery, 2, 'ours')).toEqual({ claimed: false, delivery });
    expect(await claim(delivery, 0, 'ours')).toEqual({ claimed: false, delivery });
  });

  it('refuses an attempt before its time, and takes it at its time', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');
    await record(delivery, { entry: rejectedAttempt, transition: waits });

    expect(await claim(delivery, 2, 'early', startOfTest + 599_999)).toMatchObject({ claimed: false });
    expect(await claim(delivery, 2, 'due', startOfTest + 600_000)).toMatchObject({ claimed: true });
  });

  it('answers nothing for a delivery that is not stored', async () => {
    expect(await claim(buildDelivery(), 1, 'ours')).toEqual({ claimed: false, delivery: null });
  });

  it('refuses a delivery that has ended', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');
    await record(delivery);

    expect(await claim(delivery, 2, 'late')).toMatchObject({
      claimed: false,
      delivery: { status: 'delivered' },
    });
  });
});

describe('recordAttempt()', () => {
  it('ends a delivery and leaves nothing of the claim', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');

    expect(await record(delivery)).toBe(true);

    expect(await read(delivery)).toEqual({
      ...delivery,
      status: 'delivered',
      attempts: 1,
      lastAttemptAt: acknowledgedAttempt.at,
      endedAt: startOfTest + 1200,
      log: [acknowledgedAttempt],
    });
  });

  it('keeps every attempt in the log, in order, up to the third', async () => {
    const delivery = await stored();
    for (const attempt of [1, 2, 3]) {
      const now = startOfTest + attempt * 600_000;
      await claim(delivery, attempt, `claim-${attempt}`, now);
      await record(delivery, {
        attempt,
        fencingToken: `claim-${attempt}`,
        entry: { ...rejectedAttempt, at: now },
        transition: attempt < 3 ? { status: 'pending', retryAt: now } : { status: 'failed', endedAt: now },
      });
    }

    const ended = await read(delivery);

    expect(ended).toMatchObject({ status: 'failed', attempts: 3, retryAt: null, claim: null });
    expect(ended?.log.map((entry) => entry.at)).toEqual(
      [1, 2, 3].map((attempt) => startOfTest + attempt * 600_000),
    );
  });

  it('is refused to a worker whose claim was settled by another', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');
    const interrupted = { ...rejectedAttempt, outcome: 'interrupted', responseStatus: null } as const;

    expect(await record(delivery, { entry: interrupted, transition: waits })).toBe(true);
    expect(await record(delivery)).toBe(false);

    expect(await read(delivery)).toMatchObject({ status: 'pending', log: [interrupted] });
  });

  it('is refused under another token', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'theirs');

    expect(await record(delivery)).toBe(false);
    expect(await read(delivery)).toMatchObject({ status: 'pending', log: [] });
  });

  it.each([
    { name: 'an end', transition: delivered },
    { name: 'a wait', transition: waits },
  ])('takes $name that is repeated as recorded, and logs it once', async ({ transition }) => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');

    expect(await record(delivery, { transition })).toBe(true);
    expect(await record(delivery, { transition })).toBe(true);

    expect((await read(delivery))?.log).toEqual([acknowledgedAttempt]);
  });

  it('is won by either the interruption or the returning worker', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');
    const interrupted = { ...rejectedAttempt, outcome: 'interrupted', responseStatus: null } as const;

    const recorded = await Promise.all([
      record(delivery),
      record(delivery, { entry: interrupted, transition: waits }),
    ]);

    expect(recorded.filter(Boolean)).toHaveLength(1);
    expect((await read(delivery))?.log).toHaveLength(1);
  });
});

describe('cancelDelivery()', () => {
  const cancel = (delivery: Delivery, now: number) =>
    cancelDelivery(current())(delivery, 'endpoint_deleted', now);

  it('ends a delivery that nobody holds', async () => {
    const delivery = await stored();

    expect(await cancel(delivery, startOfTest)).toBe('cancelled');

    expect(await read(delivery)).toEqual({
      ...delivery,
      status: 'failed',
      cancelled: 'endpoint_deleted',
      endedAt: startOfTest,
    });
  });

  it('leaves a delivery alone that another worker holds, until the lease is over', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'theirs');

    expect(await cancel(delivery, leaseUntil - 1)).toBe('in_flight');
    expect(await cancel(delivery, leaseUntil)).toBe('cancelled');
  });

  it('changes nothing when the delivery has ended or does not exist', async () => {
    const delivery = await stored();
    await claim(delivery, 1, 'ours');
    await record(delivery);

    expect(await cancel(delivery, startOfTest)).toBe('ended');
    expect(await read(delivery)).toMatchObject({ status: 'delivered', cancelled: null });
    expect(await cancel(buildDelivery({}, 7), startOfTest)).toBe('ended');
  });
});
