import { beforeEach, expect, it } from 'vitest';
import type { Rotation } from '#shared/aws/table/endpoints/endpoints.ts';
import { digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Health } from '#shared/domain/endpoint-health.ts';
import type { FailureStreak } from '#shared/domain/failure-streak.ts';
import { makeId } from '#shared/domain/ids.ts';
import { firstWindow, type SlowPace } from '#shared/domain/post-window.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildOwedNotice,
  customerId,
  hour,
  startOfTest,
} from '../support/values/builders.ts';
import { overdueBefore } from './first-attempt.ts';

const day = 24 * hour;

const healthy: Health = { failingSince: null, recoveredAt: null, failureStreak: null };
const failingAt = (step: number): Health => ({ ...healthy, failingSince: startOfTest + step });
const recoveredAt = (step: number): Health => ({ ...healthy, recoveredAt: startOfTest + step });
const streak: FailureStreak = {
  version: 1,
  since: startOfTest,
  deliveryIds: ['whd_1'],
  toldAt: null,
  isTold: false,
};

/** What a store of endpoints, their slots and secrets owes those who register, rotate and delete. */
const silentPace: SlowPace = { notedAt: 1_000, isAnswering: false, window: firstWindow };

export function endpointsSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  let registrations: number;
  beforeEach(() => {
    ports = connect();
    registrations = 0;
  });

  const registration = (given: Partial<Endpoint> = {}) => {
    registrations += 1;
    const id = makeId('webhook', startOfTest + registrations, digest('contract', String(registrations)));
    const fresh = {
      id,
      createdAt: startOfTest + registrations,
      status: 'failed',
      activatedAt: null,
    } as const;
    const endpoint = buildEndpoint({ ...fresh, ...given });
    const claim = { fencingToken: 'handshake', leaseUntil: startOfTest + 30_000 };
    const owner = { customerId: endpoint.customerId, webhookId: endpoint.id };
    const handshake = buildDelivery({ ...owner, attempts: 1, claim }, registrations);
    return { endpoint, handshake };
  };
  const register = async (given: Partial<Endpoint> = {}) => {
    const made = registration(given);
    return { ...made, answer: await ports.reserveEndpoint(made.endpoint, made.handshake) };
  };
  const registerMany = (count: number) => Promise.all(Array.from({ length: count }, () => register()));
  const active = async () => {
    const { endpoint } = await register({ status: 'active', activatedAt: startOfTest });
    return endpoint;
  };
  const strong = (id: string) => ports.readLiveEndpoint(customerId, id);

  it('reserveEndpoint() stores the endpoint with its claimed handshake, which the sweep knows', async () => {
    const { endpoint, handshake, answer } = await register();

    expect(answer).toBe('reserved');
    expect(await strong(endpoint.id)).toEqual(endpoint);
    expect(await ports.readDelivery(handshake)).toEqual(handshake);
    expect(await overdueBefore(ports, startOfTest + 30_001)).toMatchObject([{ id: handshake.id }]);
  });

  it('reserveEndpoint() leaves exactly five endpoints of 20 registrations at once, and stores nothing of the others', async () => {
    const registered = await registerMany(20);

    const refused = registered.filter(({ answer }) => answer === 'limit_reached');
    const reserved = registered.filter(({ answer }) => answer === 'reserved');
    expect([reserved.length, refused.length]).toEqual([5, 15]);
    const live = (await ports.listLiveEndpoints(customerId)).map(({ id }) => id);
    expect(live.toSorted()).toEqual(reserved.map(({ endpoint }) => endpoint.id).toSorted());
    for (const { endpoint, handshake } of refused) {
      expect(await ports.readEndpoint(customerId, endpoint.id)).toBeNull();
      expect(await ports.readDelivery(handshake)).toBeNull();
    }
  });

  it('reserveEndpoint() stores an endpoint once, and tells the try that has stored it from others', async () => {
    const { endpoint, handshake } = await register();
    const claim = { fencingToken: 'of another try', leaseUntil: startOfTest + 30_000 };

    expect(await ports.reserveEndpoint(endpoint, { ...handshake, claim })).toBe('exists');
    expect(await ports.readDelivery(handshake)).toEqual(handshake);
  });

  it('reserveEndpoint() counts each customer apart', async () => {
    await registerMany(5);

    expect(await register({ customerId: 'cus_other' })).toMatchObject({ answer: 'reserved' });
  });

  it('deleteEndpoint() leaves a tombstone without secrets, and no live endpoint', async () => {
    const rotated = { previousSecret: 'sealed-old', previousSecretExpiresAt: startOfTest + day };
    const slowPace = {
      notedAt: startOfTest,
      isAnswering: true,
      window: { size: 3, fastestMs: 900, lastMs: 950 },
    };
    const states = {
      slowPace,
      slowSince: startOfTest,
      failingSince: startOfTest,
      recoveredAt: startOfTest - 1,
      failureStreak: streak,
    };
    const { endpoint } = await register({ status: 'active', ...states, ...rotated });

    expect(await ports.deleteEndpoint(customerId, endpoint.id, startOfTest)).toBe(true);

    expect(await strong(endpoint.id)).toBeNull();
    expect(await ports.listLiveEndpoints(customerId)).toEqual([]);
    const none = { secret: '', previousSecret: null, previousSecretExpiresAt: null };
    const noState = { slowSince: null, slowPace: null, ...healthy };
    const tombstone = { ...endpoint, status: 'deleted', ...none, ...noState };
    expect(await ports.readEndpoint(customerId, endpoint.id)).toEqual(tombstone);
  });

  it('deleteEndpoint() frees one slot when two deletions meet', async () => {
    const [first] = await registerMany(5);
    const id = first?.endpoint.id ?? '';

    const deleted = await Promise.all([1, 2].map((step) => ports.deleteEndpoint(customerId, id, startOfTest + step)));

    expect(deleted.sort()).toEqual([false, true]);
    const again = await registerMany(2);
    expect(again.map(({ answer }) => answer).sort()).toEqual(['limit_reached', 'reserved']);
  });

  it('deleteEndpoint() gives back every slot, however often all endpoints are deleted and registered', async () => {
    for (let round = 0; round < 3; round += 1) {
      const registered = await registerMany(5);
      expect(registered.every(({ answer }) => answer === 'reserved')).toBe(true);
      await Promise.all(registered.map(({ endpoint }) => ports.deleteEndpoint(customerId, endpoint.id, startOfTest)));
    }

    expect(await ports.listLiveEndpoints(customerId)).toEqual([]);
  });

  it('deleteEndpoint() finds nothing a second time, nor of another customer', async () => {
    const { id } = await active();

    expect(await ports.deleteEndpoint('cus_other', id, startOfTest)).toBe(false);
    expect(await ports.deleteEndpoint(customerId, id, startOfTest)).toBe(true);
    expect(await ports.deleteEndpoint(customerId, id, startOfTest)).toBe(false);
  });

  it('activateEndpoint() activates a failed endpoint once, and tells since when it is active', async () => {
    const { endpoint } = await register();
    const activate = (now: number) => ports.activateEndpoint(customerId, endpoint.id, now);

    expect(await activate(startOfTest + 1)).toBe(startOfTest + 1);
    expect(await activate(startOfTest + 2)).toBe(startOfTest + 1);
    expect(await strong(endpoint.id)).toEqual({
      ...endpoint,
      status: 'active',
      activatedAt: startOfTest + 1,
    });
  });

  it.each<[string, (endpoint: Endpoint) => Promise<unknown>, unknown]>([
    ['activateEndpoint', ({ id }) => ports.activateEndpoint(customerId, id, startOfTest + 1), null],
    ['noteLastDelivery', (endpoint) => ports.noteLastDelivery(endpoint, startOfTest + 5000), undefined],
    ['markSlow', (endpoint) => ports.markSlow(endpoint, startOfTest + 1), false],
    ['clearSlow', (endpoint) => ports.clearSlow({ ...endpoint, slowSince: startOfTest }), false],
    ['notePace', (endpoint) => ports.notePace(endpoint, silentPace, 0), false],
    ['narrowPace', (endpoint) => ports.narrowPace(endpoint, silentPace), false],
    ['takeTurn', (endpoint) => ports.takeTurn(endpoint, startOfTest, startOfTest + 1), false],
    ['storeHealth', (endpoint) => ports.storeHealth(endpoint, healthy, failingAt(1)), false],
    ['settleNotices', (endpoint) => ports.settleNotices(endpoint, [buildOwedNotice()]), undefined],
  ])('%s() does not bring a deleted endpoint back', async (_, write, answer) => {
    const { endpoint } = await register({ slowSince: startOfTest });
    await ports.deleteEndpoint(customerId, endpoint.id, startOfTest);

    expect(await write(endpoint)).toBe(answer);
    expect(await strong(endpoint.id)).toBeNull();
  });

  it('listLiveEndpoints() lists the newest first, each customer its own', async () => {
    const [older, newer] = [await active(), await active()];

    expect(await ports.listLiveEndpoints(customerId)).toEqual([newer, older]);
    expect(await ports.listLiveEndpoints('cus_other')).toEqual([]);
    expect(await ports.readEndpoint('cus_other', newer.id)).toBeNull();
  });

  const rotation = (webhookId: string, given: Partial<Rotation> = {}): Rotation => ({
    customerId,
    webhookId,
    secret: 'sealed-next',
    secretPrefix: 'whsec_BBBBBB',
    at: startOfTest,
    overlapEnd: startOfTest + day,
    ...given,
  });

  it('replaceSecret() makes the current secret the previous one until the overlap ends', async () => {
    const endpoint = await active();

    const result = await ports.replaceSecret(rotation(endpoint.id));

    const rotated = {
      ...endpoint,
      secret: 'sealed-next',
      secretPrefix: 'whsec_BBBBBB',
      previousSecret: endpoint.secret,
      previousSecretExpiresAt: startOfTest + day,
    };
    expect(result).toEqual({ rotated: true, endpoint: rotated });
    expect(await strong(endpoint.id)).toEqual(rotated);
  });

  it('replaceSecret() is refused within the overlap, allowed at its end, and true again when repeated', async () => {
    const { id } = await active();
    const first = await ports.replaceSecret(rotation(id));

    const other = { secret: 'sealed-other', overlapEnd: startOfTest + 2 * day };
    const early = await ports.replaceSecret(rotation(id, { ...other, at: startOfTest + day - 1 }));
    expect(early).toEqual({ rotated: false, endpoint: first.endpoint });
    expect(await ports.replaceSecret(rotation(id))).toEqual(first);
    const due = await ports.replaceSecret(rotation(id, { ...other, at: startOfTest + day }));

    expect(due).toMatchObject({ rotated: true, endpoint: { previousSecret: 'sealed-next' } });
  });

  it('replaceSecret() lets one of ten concurrent rotations win; the others see the overlap that is open', async () => {
    const endpoint = await active();
    const secrets = Array.from({ length: 10 }, (_, number) => `sealed-${number}`);

    const results = await Promise.all(secrets.map((secret) => ports.replaceSecret(rotation(endpoint.id, { secret }))));

    const [winner, ...others] = results.filter(({ rotated }) => rotated);
    expect(others).toEqual([]);
    expect(winner?.endpoint?.previousSecret).toBe(endpoint.secret);
    expect(results.map(({ endpoint: shown }) => shown)).toEqual(secrets.map(() => winner?.endpoint));
  });

  it('replaceSecret() is refused of an endpoint that is not active, and of none', async () => {
    const { endpoint } = await register();

    expect(await ports.replaceSecret(rotation(endpoint.id))).toEqual({ rotated: false, endpoint });
    expect(await ports.replaceSecret(rotation('whe_none'))).toEqual({ rotated: false, endpoint: null });
  });

  it('raisePartitions() only ever raises the number, and of a live endpoint', async () => {
    const { id } = await active();
    const raise = (partitions: number) => ports.raisePartitions(customerId, id, partitions);

    expect(await raise(8)).toMatchObject({ id, deliveryPartitions: 8 });
    expect(await raise(2)).toMatchObject({ id, deliveryPartitions: 8 });
    await ports.deleteEndpoint(customerId, id, startOfTest);
    expect(await raise(16)).toBeNull();
    expect(await ports.readEndpoint(customerId, id)).toMatchObject({ deliveryPartitions: 8 });
  });

  it('noteLastDelivery() notes the first attempt and a later one, and not an earlier one', async () => {
    const { endpoint } = await register({ lastDeliveryAt: null });
    const touched = async (time: number) => {
      await ports.noteLastDelivery(endpoint, time);
      return (await strong(endpoint.id))?.lastDeliveryAt;
    };

    expect(await touched(startOfTest)).toBe(startOfTest);
    expect(await touched(startOfTest + 5000)).toBe(startOfTest + 5000);
    expect(await touched(startOfTest + 4000)).toBe(startOfTest + 5000);
  });

  it('markSlow() marks a live endpoint once', async () => {
    const endpoint = await active();

    expect(await ports.markSlow(endpoint, startOfTest + 1)).toBe(true);
    expect(await ports.markSlow(endpoint, startOfTest + 2)).toBe(false);
    expect(await strong(endpoint.id)).toEqual({ ...endpoint, slowSince: startOfTest + 1 });
  });

  it('storeHealth() stores each change of what is stored, and nothing when something else is', async () => {
    const endpoint = await active();
    const failing = failingAt(1);
    const recovered = recoveredAt(2);
    const change = (before: Health, after: Health) => ports.storeHealth(endpoint, before, after);

    expect(await change(failing, recovered)).toBe(false);
    expect(await change(healthy, failing)).toBe(true);
    expect(await change(healthy, failingAt(2))).toBe(false);
    expect(await change(failingAt(2), recovered)).toBe(false);
    expect(await strong(endpoint.id)).toEqual({ ...endpoint, ...failing });
    expect(await change(failing, recovered)).toBe(true);
    expect(await change(healthy, failing)).toBe(false);
    expect(await strong(endpoint.id)).toEqual({ ...endpoint, ...recovered });
    expect(await change(recovered, { ...failing, recoveredAt: recovered.recoveredAt })).toBe(true);
    expect(await change(recovered, failing)).toBe(false);
  });

  it('storeHealth() changes the streak that it was decided by, and leaves one that does not change', async () => {
    const endpoint = await active();
    const counted = { ...failingAt(0), failureStreak: streak };
    const next = {
      ...counted,
      failureStreak: { ...streak, version: 2, toldAt: startOfTest, isTold: true },
    };
    const change = (before: Health, after: Health) => ports.storeHealth(endpoint, before, after);

    expect(await change({ ...healthy, failureStreak: streak }, next)).toBe(false);
    expect(await change(healthy, counted)).toBe(true);
    expect(await change(failingAt(0), counted)).toBe(false);
    expect(await change(counted, next)).toBe(true);
    expect(await change(counted, next)).toBe(false);
    expect(await strong(endpoint.id)).toEqual({ ...endpoint, ...next });
    expect(await change(failingAt(0), recoveredAt(2))).toBe(true);
    expect((await strong(endpoint.id))?.failureStreak).toEqual(next.failureStreak);
  });

  it('settleNotices() removes notices that changes have added; a refused change adds none', async () => {
    const endpoint = await active();
    const failing = buildOwedNotice();
    const recovered = buildOwedNotice({ type: 'endpoint.recovered', at: startOfTest + 2 });
    const owed = async () => new Set((await strong(endpoint.id))?.owedNotices);
    const end = recoveredAt(2);

    await ports.storeHealth(endpoint, failingAt(1), end, recovered);
    await ports.storeHealth(endpoint, healthy, failingAt(1), failing);
    await ports.storeHealth(endpoint, failingAt(1), failingAt(0));
    expect(await owed()).toEqual(new Set([failing]));
    await ports.storeHealth(endpoint, failingAt(0), end, recovered);
    expect(await owed()).toEqual(new Set([failing, recovered]));
    await ports.settleNotices(endpoint, [failing]);
    expect(await owed()).toEqual(new Set([recovered]));
    await ports.settleNotices(endpoint, [failing, recovered]);
    expect(await strong(endpoint.id)).toEqual({ ...endpoint, recoveredAt: startOfTest + 2 });
  });

  const { type, ...rest } = buildOwedNotice();
  const [notice, reordered] = [buildOwedNotice(), { ...rest, type }];
  it.each([
    [notice, reordered],
    [reordered, notice],
  ])('settleNotices() removes a notice whose members had another order when it was stored', async (stored, settled) => {
    const endpoint = await active();
    await ports.storeHealth(endpoint, healthy, failingAt(1), stored);
    expect((await strong(endpoint.id))?.owedNotices).toEqual([notice]);

    await ports.settleNotices(endpoint, [settled]);

    expect((await strong(endpoint.id))?.owedNotices).toEqual([]);
  });

  it('clearSlow() clears the mark that was read, and no newer one', async () => {
    const endpoint = await active();
    await ports.markSlow(endpoint, startOfTest + 1);
    const marked = { ...endpoint, slowSince: startOfTest + 1 };

    expect(await ports.clearSlow(marked)).toBe(true);
    expect(await strong(endpoint.id)).toEqual(endpoint);
    await ports.markSlow(endpoint, startOfTest + 2);
    expect(await ports.clearSlow(marked)).toBe(false);
    expect(await strong(endpoint.id)).toMatchObject({ slowSince: startOfTest + 2 });
  });

  const answering = (notedAt: number, fastestMs: number): SlowPace => ({
    notedAt,
    isAnswering: true,
    window: { size: 2.5, fastestMs, lastMs: 4_000 },
  });
  const silent = (notedAt: number): SlowPace => ({ notedAt, isAnswering: false, window: firstWindow });
  const marked = async () => {
    const endpoint = await active();
    await ports.markSlow(endpoint, startOfTest);
    return endpoint;
  };

  it('notePace() notes how a marked endpoint answers, and clearSlow() removes the note', async () => {
    const endpoint = await marked();

    expect(await ports.notePace(endpoint, answering(1_000, 900), 0)).toBe(true);
    const stored = await strong(endpoint.id);
    await ports.clearSlow({ ...endpoint, slowSince: startOfTest });

    expect(stored).toEqual({ ...endpoint, slowSince: startOfTest, slowPace: answering(1_000, 900) });
    expect(await strong(endpoint.id)).toEqual(endpoint);
  });

  it.each<[string, SlowPace, SlowPace, number, boolean]>([
    ['replaces an older answer', answering(1_000, 900), answering(9_000, 900), 1_000, true],
    ['keeps a younger answer', answering(1_001, 900), answering(9_000, 900), 1_000, false],
    ['keeps a faster answer', answering(1_000, 899), answering(9_000, 900), 1_000, false],
    ['replaces an older answer with silence', answering(1_000, 900), silent(9_000), 1_000, true],
    ['keeps a younger answer against silence', answering(1_001, 900), silent(9_000), 1_000, false],
    ['replaces a younger silence', silent(1_001), answering(9_000, 900), 1_000, true],
  ])('notePace() %s', async (_case, before, pace, youngest, isNoted) => {
    const endpoint = await marked();
    await ports.notePace(endpoint, before, 0);

    expect(await ports.notePace(endpoint, pace, youngest)).toBe(isNoted);
    expect((await strong(endpoint.id))?.slowPace).toEqual(isNoted ? pace : before);
  });

  it('notePace() notes nothing on an endpoint that is not marked', async () => {
    const endpoint = await active();

    expect(await ports.notePace(endpoint, silent(1_000), 0)).toBe(false);
    expect(await strong(endpoint.id)).toEqual(endpoint);
  });

  it.each<[string, number, boolean]>([
    ['replaces the note that was read', 1_000, true],
    ['keeps a newer one', 1_001, false],
  ])('narrowPace() %s', async (_case, notedAt, isNoted) => {
    const [endpoint, before] = [await marked(), answering(notedAt, 900)];
    await ports.notePace(endpoint, before, 0);
    const pace = { ...before, notedAt: 1_000, window: { ...before.window, size: 0.5 } };

    expect(await ports.narrowPace(endpoint, pace)).toBe(isNoted);
    expect((await strong(endpoint.id))?.slowPace).toEqual(isNoted ? pace : before);
  });

  it('takeTurn() gives a marked endpoint to one worker at a time', async () => {
    const endpoint = await active();
    const take = (now: number) => ports.takeTurn(endpoint, now, now + 1_000);

    expect(await take(0)).toBe(false);
    await ports.markSlow(endpoint, startOfTest);
    const taken = await Promise.all([take(5_000), take(5_000), take(5_000)]);
    expect(taken.filter(Boolean)).toEqual([true]);
    expect(await take(5_999)).toBe(false);
    expect(await take(6_000)).toBe(true);
  });
}
