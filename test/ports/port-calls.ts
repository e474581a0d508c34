import fc from 'fast-check';
import { expect } from 'vitest';
import { digest } from '#shared/domain/derived-id.ts';
import { healthAfter } from '#shared/domain/endpoint-health.ts';
import { makeId } from '#shared/domain/ids.ts';
import { firstWindow } from '#shared/domain/post-window.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
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
import { overdueBefore } from './overdue.ts';

/** Random calls of the table ports, for tests that compare two implementations of the table. */
export type Call = { readonly name: string; readonly make: (ports: TablePorts) => Promise<unknown> };

/** A call with any of some arguments. */
export function call<A extends unknown[]>(
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
export const names = ['one', 'two', 'three', 'four', 'five', 'six'] as const;
export const webhook = fc.constantFrom(...names);
const token = fc.constantFrom('t1', 't2');
const attempt = fc.constantFrom(1, 2, 3);
export const time = fc.nat(5).map((step) => startOfTest + step * 10_000);

export const endpointOf = (name: string) =>
  buildEndpoint({ id: makeId('webhook', startOfTest, digest(name)), status: 'failed', activatedAt: null });
export const idOf = (name: string) => endpointOf(name).id;
export const deliveryTo = (name: (typeof names)[number], status: 'pending' | 'failed' = 'pending') =>
  buildDelivery({ webhookId: idOf(name), status }, names.indexOf(name));
/** Few for each endpoint, so that calls are repeated with the token of an earlier one. */
export const number = fc.constantFrom(1, 2);

/** Stores an endpoint, perhaps one that was stored or deleted before. */
export const reserve = (ports: TablePorts, name: (typeof names)[number], which: number) => {
  const delivery = deliveryTo(name);
  return ports.reserveEndpoint(endpointOf(name), { ...delivery, id: `${delivery.id}${which}` });
};

/** A call of any port but those that reserve endpoints, or are about replays. */
export const anyCall = fc.oneof(
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
      transition: isLast ? { status: 'delivered', endedAt: now } : { status: 'pending', retryAt: now + 10_000 },
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
  call('delete', [webhook], (ports, name) => ports.deleteEndpoint(customerId, idOf(name), startOfTest)),
  call('activate', [webhook, time], (ports, name, now) => ports.activateEndpoint(customerId, idOf(name), now)),
  call('rotate', [webhook, token, time], (ports, name, secret, at) => {
    const rotation = { secret, secretPrefix: secret, at, overlapEnd: at + 15_000 };
    return ports.replaceSecret({ customerId, webhookId: idOf(name), ...rotation });
  }),
  call('touch', [webhook, time], (ports, name, now) => ports.noteLastDelivery(endpointOf(name), now)),
  call('mark', [webhook, time], (ports, name, now) => ports.markSlow(endpointOf(name), now)),
  call('clear', [webhook, time], (ports, name, slowSince) => ports.clearSlow({ ...endpointOf(name), slowSince })),
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

/** Makes the calls of a seed on both, and looks at what they leave. */
export async function compareAnswers(
  anyOfThem: fc.Arbitrary<Call>,
  seed: number,
  one: TablePorts,
  other: TablePorts,
): Promise<void> {
  const scenario = fc.array(anyOfThem, { minLength: 50, maxLength: 70, size: 'max' });
  const [calls = []] = fc.sample(scenario, { numRuns: 1, seed });
  const asked: string[] = [];

  for (const { name, make } of calls) {
    asked.push(name);
    expect(await make(one), asked.join(', ')).toEqual(await make(other));
  }

  expect(await lookAt(one), asked.join(', ')).toEqual(await lookAt(other));
}
