import { describe, expect, it } from 'vitest';
import { readEvent } from '#shared/contract/event-body.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { exampleBody } from '#shared/domain/event.ts';
import type { FailureStreak } from '#shared/domain/failure-streak.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import { asked, type Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  buildOwedNotice,
  customerId,
  handshakeBody,
  rejected,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const log = [buildLogEntry(), buildLogEntry({ outcome: 'timed_out' })];
const last = buildDelivery({ attempts: 2, log });
const ended = buildDelivery({ status: 'failed', attempts: 3, log, endedAt: startOfTest });
const told: FailureStreak = {
  version: 1,
  since: startOfTest - 1000,
  deliveryIds: ['whd_before'],
  toldAt: startOfTest - 1000,
  isTold: true,
};
const failing = [buildEndpoint({ failingSince: told.since, failureStreak: told })];
const owing = (...owedNotices: OwedNotice[]) => [
  buildEndpoint({ failingSince: startOfTest, failureStreak: told, owedNotices }),
];
const subject = { runId: 'run_1', trackerId: 'trk_1', changeReportId: 'chg_1' };
const cause = new Error('throttled');

/** In a stage that sends notices. */
const deps = ({ sendNotice }: Delivering) => ({ sendNotice, noticeAfter: 1 });
const failingDeps = () => ({ sendNotice: () => Promise.reject(cause), noticeAfter: 1 });

/** The last attempt of a delivery, which fails. */
const outcomeOfLast = (given: Given = {}) =>
  outcomeOf({ deliveries: [last], receiver: () => rejected, deps, ...given }, dueFor(3));
const owedBy = ({ store }: Delivering) => store.records.liveEndpoint(customerId, webhookId)?.owedNotices;

describe('deliverAttempts() in a stage that sends notices', () => {
  it('announces that an endpoint fails, once the outcome is recorded', async () => {
    const outcome = await outcomeOfLast();

    expect(outcome.steps).toEqual(['claim', 'post', 'health', 'record', 'notice', 'settle']);
    const at = outcome.stored?.endedAt;
    const about = { type: 'endpoint.failing', at, failingSince: at, deliveryId: last.id, deliveredShare: 0 };
    expect(outcome.notices).toMatchObject([{ ...about, outcome: 'rejected', error: rejected.error }]);
    expect(owedBy(outcome)).toEqual([]);
  });

  it('announces that it recovered, and since when it had failed', async () => {
    const outcome = await outcomeOf({ endpoints: failing, deps });

    const about = { type: 'endpoint.recovered', failingSince: startOfTest - 1000, outcome: 'acknowledged' };
    expect(outcome.notices).toMatchObject([about]);
  });

  it('returns the message and keeps the notice when it cannot be sent', async () => {
    const outcome = await outcomeOfLast({ deps: failingDeps });

    expect(outcome).toMatchObject({ results: ['retry'], stored: { status: 'failed' } });
    expect(owedBy(outcome)).toHaveLength(1);
    const subject = { customerId, webhookId };
    expect(outcome.events).toContainEqual({ name: 'step.failed', step: 'notice', subject, cause });
  });

  it('sends the notice of a worker that died when the message of the delivery is received again', async () => {
    const outcome = await outcomeOfLast({ deliveries: [ended], endpoints: owing(buildOwedNotice()) });

    expect(outcome).toMatchObject({ results: ['done'], steps: ['claim', 'notice', 'settle'] });
    expect(outcome.notices).toMatchObject([buildOwedNotice()]);
  });

  it('leaves a notice to the worker of the delivery that caused it', async () => {
    const endpoints = owing(buildOwedNotice({ deliveryId: 'whd_other' }));

    expect(await outcomeOfLast({ endpoints })).toMatchObject({ results: ['done'], notices: [] });
  });

  it('returns the message when the change may not be stored, and then notes the end again', async () => {
    const first = await outcomeOfLast({ strike: asked('health', () => Promise.reject(cause)) });
    const second = await outcomeOfLast({ deliveries: [ended] });

    expect(first).toMatchObject({ results: ['retry'], notices: [], stored: { status: 'failed' } });
    expect(second).toMatchObject({ results: ['done'], notices: [{ at: startOfTest, outcome: 'timed_out' }] });
  });

  it('does not count a handshake that a dead worker left', async () => {
    const claim = { fencingToken: 'dead', leaseUntil: startOfTest - 1 };
    const deliveries = [buildDelivery({ attempts: 3, claim, body: handshakeBody })];
    const endpoints = [buildEndpoint({ status: 'failed', activatedAt: null })];
    const outcome = await outcomeOfLast({ deliveries, endpoints });

    expect(outcome).toMatchObject({ stored: { status: 'failed' }, steps: ['claim', 'record'] });
  });

  it('tells nobody of test events that fail, or of one that is delivered', async () => {
    const test = exampleBody({ id: 'evt_1', createdAt: startOfTest }, webhookId, 'run.completed', subject, '');
    const failed = await outcomeOfLast({ deliveries: [{ ...last, body: test, event: readEvent(test) }] });
    const delivered = await outcomeOf({ deliveries: [buildDelivery({ body: test })], endpoints: failing, deps });

    expect([...failed.notices, ...delivered.notices]).toEqual([]);
    expect(failed.store.records.liveEndpoint(customerId, webhookId)?.failingSince).not.toBeNull();
    expect(delivered.store.records.liveEndpoint(customerId, webhookId)?.failingSince).toBeNull();
  });

  it('keeps the newest few notices that are owed, and its own', async () => {
    const owed = Array.from({ length: 6 }, (_, at) => buildOwedNotice({ at, deliveryId: `whd_lost${at}` }));
    const endpoints = [buildEndpoint({ owedNotices: owed })];
    const outcome = await outcomeOfLast({ endpoints, deps: failingDeps });

    expect(owedBy(outcome)?.map(({ at }) => at)).toEqual([2, 3, 4, 5, outcome.stored?.endedAt]);
  });

  it('returns the message when older notices cannot be removed', async () => {
    const owed = Array.from({ length: 5 }, (_, at) => buildOwedNotice({ at, deliveryId: `whd_lost${at}` }));
    let writes = 0;
    const strike = asked('settle', () => {
      writes += 1;
      return writes === 1 ? Promise.reject(cause) : undefined;
    });
    const outcome = await outcomeOfLast({ endpoints: [buildEndpoint({ owedNotices: owed })], strike });

    expect(outcome).toMatchObject({ results: ['retry'], notices: [] });
  });
});

const other = buildDelivery({ attempts: 2, log }, 2);

/** The last attempts of two deliveries: the first one fails, the second one is acknowledged. */
function outcomeOfBoth(endpoint: Endpoint, onHealth: () => void = () => {}) {
  const receiver = ({ posts }: Delivering) => (posts.length === 1 ? rejected : acknowledged);
  const given = { deliveries: [last, other], endpoints: [endpoint], receiver, deps, strike: asked('health', onHealth) };
  return outcomeOf(given, dueFor(3, last), dueFor(3, other));
}

describe('a batch with two changes', () => {
  it.each([
    ['first', 1],
    ['second', 2],
  ])('returns its messages when the %s may not be stored', async (_which, broken) => {
    let writes = 0;
    const outcome = await outcomeOfBoth(buildEndpoint(), () => {
      writes += 1;
      if (writes === broken) throw cause;
    });

    expect(outcome.steps.filter((step) => step === 'record')).toHaveLength(2);
    expect(outcome.results).toEqual(['retry', 'retry']);
  });

  it('is done when both are stored', async () => {
    expect((await outcomeOfBoth(buildEndpoint())).results).toEqual(['done', 'done']);
  });
});

describe('a batch with a change of its own', () => {
  const foreign = buildOwedNotice({ type: 'endpoint.recovered', deliveryId: 'whd_other' });

  it('leaves the notices of other batches to these', async () => {
    const outcome = await outcomeOfLast({ endpoints: [buildEndpoint({ owedNotices: [foreign] })] });

    expect(outcome.notices).toMatchObject([{ type: 'endpoint.failing', deliveryId: last.id }]);
    expect(owedBy(outcome)).toEqual([foreign]);
  });

  it('sends the notice that an earlier try of it left, with its own, and no other one', async () => {
    const ours = buildOwedNotice({ type: 'endpoint.recovered', deliveryId: last.id, at: startOfTest - 1 });
    const outcome = await outcomeOfBoth(buildEndpoint({ owedNotices: [foreign, ours] }));

    expect(new Set(outcome.notices.map(({ deliveryId }) => deliveryId))).toEqual(new Set([last.id, other.id]));
    expect(owedBy(outcome)).toEqual([foreign]);
  });
});
