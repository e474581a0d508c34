import { beforeEach, expect, it } from 'vitest';
import type { RecordedAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import type { Delivery, Transition } from '#shared/domain/delivery.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  deliveryIdNumber,
  rejectedAttempt,
  startOfTest,
} from '../support/values/builders.ts';
import { attemptFirst, leaseUntil, retryAt } from './first-attempt.ts';

const delivered: Transition = { status: 'delivered', endedAt: startOfTest + 1200 };
const waits: Transition = { status: 'pending', retryAt };

/** What a store of deliveries owes those who claim, record and cancel attempts. */
export function attemptsSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  let delivery: Delivery;
  beforeEach(async () => {
    ports = connect();
    delivery = await ports.storeDelivery(buildDelivery(), null);
  });

  const claim = (attempt: number, fencingToken: string, latestDue = startOfTest) =>
    ports.claimAttempt(delivery, attempt, { fencingToken, leaseUntil, latestDue });
  const record = (given: Partial<RecordedAttempt> = {}) =>
    ports.recordAttempt({
      key: delivery,
      attempt: 1,
      fencingToken: 'ours',
      entry: acknowledgedAttempt,
      transition: delivered,
      ...given,
    });
  const failAttempt = () => attemptFirst(ports, delivery, false);
  const stored = () => ports.readDelivery(delivery);
  const held = (fencingToken: string) => ({
    ...delivery,
    attempts: 1,
    claim: { fencingToken, leaseUntil },
  });

  it('storeDelivery() keeps the delivery that is there and answers it', async () => {
    const again = await ports.storeDelivery({ ...delivery, body: '{"id":"evt_other"}' }, startOfTest);

    expect(again).toEqual(delivery);
    expect(await stored()).toEqual(delivery);
  });

  it('storeDelivery() finds nothing under the key of somebody else', async () => {
    expect(await ports.readDelivery({ ...delivery, customerId: 'cus_other' })).toBeNull();
    expect(await ports.readDelivery({ ...delivery, webhookId: 'whe_other' })).toBeNull();
  });

  it('claimAttempt() raises the attempts and answers the delivery as it is then', async () => {
    expect(await claim(1, 'ours')).toEqual({ claimed: true, delivery: held('ours') });
    expect(await stored()).toEqual(held('ours'));
  });

  it('claimAttempt() is won by one of 20 workers, and shows the others who has it', async () => {
    const tokens = Array.from({ length: 20 }, (_, index) => `worker-${index}`);

    const claims = await Promise.all(tokens.map((fencingToken) => claim(1, fencingToken)));

    const winners = tokens.filter((_, index) => claims[index]?.claimed);
    expect(winners).toHaveLength(1);
    expect(claims.map((taken) => taken.delivery)).toEqual(tokens.map(() => held(winners[0] ?? '')));
  });

  it('claimAttempt() is ours when it is repeated with our token', async () => {
    await claim(1, 'ours');

    expect(await claim(1, 'ours')).toEqual({ claimed: true, delivery: held('ours') });
  });

  it('claimAttempt() refuses an attempt that is not the next one', async () => {
    expect(await claim(2, 'ours')).toEqual({ claimed: false, delivery });
    expect(await claim(0, 'ours')).toEqual({ claimed: false, delivery });
    await failAttempt();
    expect(await claim(1, 'other', retryAt)).toMatchObject({ claimed: false, delivery: { attempts: 1 } });
    expect(await claim(3, 'other', retryAt)).toMatchObject({ claimed: false });
  });

  it('claimAttempt() refuses the next attempt while this one is in flight', async () => {
    await claim(1, 'ours');

    expect(await claim(2, 'other', retryAt)).toEqual({ claimed: false, delivery: held('ours') });
    expect(await stored()).toEqual(held('ours'));
  });

  it('claimAttempt() refuses an attempt before it is due, and takes it at that very time', async () => {
    await failAttempt();

    expect(await claim(2, 'early', retryAt - 1)).toMatchObject({ claimed: false, delivery: { retryAt } });
    expect(await claim(2, 'due', retryAt)).toMatchObject({ claimed: true, delivery: { attempts: 2 } });
  });

  it('claimAttempt() refuses an ended delivery and one that is not there', async () => {
    await ports.cancelDelivery(delivery, 'endpoint_deleted', startOfTest);

    expect(await claim(1, 'ours')).toMatchObject({ claimed: false, delivery: { status: 'failed' } });
    const absent = buildDelivery({}, 9);
    const refused = { claimed: false, delivery: null };
    const terms = { fencingToken: 'ours', leaseUntil, latestDue: startOfTest };
    expect(await ports.claimAttempt(absent, 1, terms)).toEqual(refused);
  });

  it('releaseAttempt() leaves the delivery as it was before the claim, so that the attempt can be claimed again', async () => {
    await claim(1, 'ours');

    expect(await ports.releaseAttempt(delivery, 1, 'ours')).toBe(true);
    expect(await stored()).toEqual(delivery);
    expect(await claim(1, 'other')).toEqual({ claimed: true, delivery: held('other') });
  });

  it('releaseAttempt() keeps the log and the time of a retry', async () => {
    await failAttempt();
    const before = await stored();
    await claim(2, 'ours', retryAt);

    expect(await ports.releaseAttempt(delivery, 2, 'ours')).toBe(true);
    expect(await stored()).toEqual(before);
  });

  it('releaseAttempt() changes nothing under a fencingToken that does not hold the claim', async () => {
    expect(await ports.releaseAttempt(delivery, 1, 'ours')).toBe(false);
    await claim(1, 'other');

    expect(await ports.releaseAttempt(delivery, 1, 'ours')).toBe(false);
    expect(await stored()).toEqual(held('other'));
  });

  it('releaseAttempt() changes nothing once the attempt is settled', async () => {
    await claim(1, 'ours');
    await record();
    const before = await stored();

    expect(await ports.releaseAttempt(delivery, 1, 'ours')).toBe(false);
    expect(await stored()).toEqual(before);
  });

  it('recordAttempt() ends the delivery, with the attempt in its log', async () => {
    await claim(1, 'ours');

    expect(await record()).toBe(true);

    const ended = {
      status: 'delivered',
      endedAt: startOfTest + 1200,
      claim: null,
      lastAttemptAt: acknowledgedAttempt.at,
    };
    expect(await stored()).toEqual({ ...held('ours'), ...ended, log: [acknowledgedAttempt] });
  });

  it('recordAttempt() says when the next attempt is due, and lets go of this one', async () => {
    await failAttempt();

    expect(await stored()).toMatchObject({
      status: 'pending',
      attempts: 1,
      claim: null,
      retryAt,
      endedAt: null,
      log: [rejectedAttempt],
    });
  });

  it('recordAttempt() is true again when the same record is repeated', async () => {
    await failAttempt();

    expect(await record({ entry: rejectedAttempt, transition: waits })).toBe(true);
    expect(await record({ entry: acknowledgedAttempt })).toBe(false);
    expect((await stored())?.log).toEqual([rejectedAttempt]);
    await claim(2, 'again', retryAt);
    const last = { attempt: 2, fencingToken: 'again' };
    expect([await record(last), await record(last)]).toEqual([true, true]);
    expect((await stored())?.log).toEqual([rejectedAttempt, acknowledgedAttempt]);
  });

  it('recordAttempt() keeps every attempt in the log, in order', async () => {
    const entries = [1, 2, 3].map((number) => ({ ...rejectedAttempt, at: startOfTest + number }));
    for (const [index, entry] of entries.entries()) {
      await claim(index + 1, 'ours', retryAt);
      const transition: Transition = index < 2 ? waits : { status: 'failed', endedAt: entry.at };
      await record({ attempt: index + 1, entry, transition });
    }

    expect(await stored()).toMatchObject({ status: 'failed', attempts: 3, retryAt: null, log: entries });
  });

  it('recordAttempt() is won by either the interruption or the returning worker', async () => {
    await claim(1, 'ours');
    const interrupted = { ...rejectedAttempt, outcome: 'interrupted', responseStatus: null } as const;

    const recorded = await Promise.all([record(), record({ entry: interrupted, transition: waits })]);

    expect(recorded.toSorted()).toEqual([false, true]);
    expect((await stored())?.log).toEqual([recorded[0] ? acknowledgedAttempt : interrupted]);
  });

  it('recordAttempt() is refused under a fencingToken that does not hold the claim', async () => {
    await claim(1, 'other');

    expect(await record()).toBe(false);
    expect(await stored()).toEqual(held('other'));
  });

  it('recordAttempt() is refused when nothing was claimed, or nothing is there', async () => {
    expect(await record()).toBe(false);
    expect(await record({ key: buildDelivery({}, 9) })).toBe(false);
  });

  it('recordAttempt() does not touch a delivery that ended', async () => {
    await ports.cancelDelivery(delivery, 'endpoint_deleted', leaseUntil);
    const before = await stored();

    expect(await record()).toBe(false);
    expect(await stored()).toEqual(before);
  });

  it('readAttemptTimes() reads a page of one partition, newest first', async () => {
    const endpoint = buildEndpoint();
    await Promise.all([2, 3].map((number) => ports.storeDelivery(buildDelivery({}, number), null)));
    await failAttempt();
    const [newest, middle] = [3, 2].map((number) => ({
      id: deliveryIdNumber(number),
      lastAttemptAt: null,
    }));
    const oldest = { id: delivery.id, lastAttemptAt: rejectedAttempt.at };

    expect(await ports.readAttemptTimes(endpoint, 0, null, 2)).toEqual([newest, middle]);
    expect(await ports.readAttemptTimes(endpoint, 0, middle?.id ?? '', 1)).toEqual([oldest]);
    expect(await ports.readAttemptTimes(endpoint, 1, null, 2)).toEqual([]);
  });

  const cancel = async (now: number, cancelled = delivery) =>
    (await ports.cancelDelivery(cancelled, 'endpoint_deleted', now)).outcome;

  it('cancelDelivery() ends a delivery that nobody holds, once', async () => {
    expect(await cancel(startOfTest)).toBe('cancelled');
    expect(await cancel(startOfTest + 1)).toBe('ended');

    const ended = { status: 'failed', cancelled: 'endpoint_deleted', endedAt: startOfTest };
    expect(await stored()).toEqual({ ...delivery, ...ended });
  });

  it('cancelDelivery() leaves a claimed delivery alone, also when the lease is over, because its attempt counts', async () => {
    await claim(1, 'other');
    const before = await stored();

    expect(await cancel(leaseUntil)).toBe('in_flight');
    expect(await stored()).toEqual(before);
  });

  it('cancelDelivery() ends a delivery whose claim was given back, and forgets its next attempt', async () => {
    await failAttempt();
    await claim(2, 'ours', retryAt);
    await ports.releaseAttempt(delivery, 2, 'ours');

    expect(await cancel(startOfTest)).toBe('cancelled');
    expect(await stored()).toMatchObject({
      status: 'failed',
      claim: null,
      retryAt: null,
      log: [rejectedAttempt],
    });
  });

  it('cancelDelivery() changes nothing where nothing is, or where the delivery has ended', async () => {
    const absent = buildDelivery({}, 9);

    expect(await cancel(startOfTest, absent)).toBe('ended');
    expect(await ports.readDelivery(absent)).toBeNull();
    await claim(1, 'ours');
    await record();
    expect(await cancel(leaseUntil)).toBe('ended');
    expect(await stored()).toMatchObject({ status: 'delivered', cancelled: null });
  });
}
