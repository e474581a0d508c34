import { describe, expect, it } from 'vitest';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { AttemptDeps } from '#shared/operations/delivery/attempt-endpoint.ts';
import { type Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
import {
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

const log = [buildLogEntry(), buildLogEntry()];
const last = buildDelivery({ attempts: 2, log });
const ended = buildDelivery({ status: 'failed', attempts: 3, log, endedAt: startOfTest });
const owing = (...owedNotices: OwedNotice[]) => [buildEndpoint({ failingSince: startOfTest, owedNotices })];
const cause = new Error('throttled');

/** The last attempt of a delivery, which fails, in a stage that sends notices. */
function outcomeOfLast(given: Given = {}, more: (world: Delivering) => Partial<AttemptDeps> = () => ({})) {
  const deps = (world: Delivering) => ({ sendNotice: world.sendNotice, ...more(world) });
  return outcomeOf({ deliveries: [last], receiver: () => rejected, ...given, deps }, dueFor(3));
}
const owedBy = ({ store }: Delivering) => store.table.liveEndpoint(customerId, webhookId)?.owedNotices;

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
    const endpoints = [buildEndpoint({ failingSince: startOfTest - 1000 })];
    const outcome = await outcomeOf({ endpoints, deps: ({ sendNotice }) => ({ sendNotice }) });

    const about = { type: 'endpoint.recovered', failingSince: startOfTest - 1000, outcome: 'acknowledged' };
    expect(outcome.notices).toMatchObject([about]);
  });

  it('returns the message and keeps the notice when it cannot be sent', async () => {
    const outcome = await outcomeOfLast({}, () => ({ sendNotice: () => Promise.reject(cause) }));

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
    const first = await outcomeOfLast({}, () => ({ storeHealth: () => Promise.reject(cause) }));
    const second = await outcomeOfLast({ deliveries: [ended] });

    expect(first).toMatchObject({ results: ['retry'], notices: [], stored: { status: 'failed' } });
    expect(second).toMatchObject({ results: ['done'], notices: [{ at: startOfTest }] });
  });

  it('does not count a handshake that a dead worker left', async () => {
    const claim = { fencingToken: 'dead', leaseUntil: startOfTest - 1 };
    const deliveries = [buildDelivery({ attempts: 3, claim, body: handshakeBody })];
    const endpoints = [buildEndpoint({ status: 'failed', activatedAt: null })];
    const outcome = await outcomeOfLast({ deliveries, endpoints });

    expect(outcome).toMatchObject({ stored: { status: 'failed' }, steps: ['claim', 'record'] });
  });
});
