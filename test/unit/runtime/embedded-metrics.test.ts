import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { Delivery, Transition } from '#shared/domain/delivery.ts';
import { makeId } from '#shared/domain/ids.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { useOutput } from '../../support/aws/lambda-events.ts';
import { type Datum, readEmbedded } from '../../support/metrics/embedded-format.ts';
import {
  acknowledged,
  buildDelivery,
  customerId,
  rejected,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

const eventId = makeId('event', startOfTest - 80, new Uint8Array(10).fill(7));
const event = {
  id: eventId,
  type: 'run.completed',
  runId: 'run_1',
  trackerId: null,
  changeReportId: null,
  exampleType: null,
};
const delivery = buildDelivery({ event });
const ended: Transition = { status: 'delivered', endedAt: startOfTest + 184 };
const waits: Transition = { status: 'pending', retryAt: startOfTest + 600_000 };
const isoTime = new Date(startOfTest).toISOString();

const output = useOutput();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
});

function attempted(given: {
  readonly delivery?: Delivery;
  readonly attempt?: number;
  readonly entry?: Partial<AttemptLogEntry>;
  readonly transition?: Transition;
}): void {
  report({
    name: 'delivery.attempted',
    delivery: given.delivery ?? delivery,
    attempt: given.attempt ?? 1,
    entry: { at: startOfTest, ...acknowledged, ...given.entry },
    transition: given.transition ?? ended,
  });
}

/** What CloudWatch takes out of the one line that was written. */
function measured(): Readonly<Record<string, Omit<Datum, 'namespace' | 'name' | 'at'>>> {
  const { data } = readEmbedded(output());
  expect(data.map(({ namespace, at }) => [namespace, at])).toEqual(data.map(() => ['Webhooks', startOfTest]));
  return Object.fromEntries(data.map(({ name, unit, dimensions, value }) => [name, { unit, dimensions, value }]));
}

const attemptOf = (outcome_class: string) => ({
  unit: 'None',
  dimensions: { stage: 'test', outcome_class },
  value: 1,
});
const milliseconds = (value: number) => ({ unit: 'Milliseconds', dimensions: { stage: 'test' }, value });
const endOf = (status: string) => ({ unit: 'None', dimensions: { stage: 'test', status }, value: 1 });
const messages = (value: number) => ({ unit: 'None', dimensions: { stage: 'test' }, value });

describe('the metrics in log lines, byte by byte', () => {
  it('writes the acknowledged attempts of a batch', () => {
    const entry = { at: startOfTest, ...acknowledged };
    const replay = buildDelivery({ event, replayOf: 'whd_1', webhookId: 'whe_2' }, 2);
    report({
      name: 'deliveries.acknowledged',
      attempts: [
        { delivery, attempt: 1, entry, transition: ended },
        {
          delivery: replay,
          attempt: 2,
          entry: { ...entry, isRepeated: true, durationMs: 7 },
          transition: ended,
        },
      ],
    });

    const ids = `"event_id":"${eventId}","event_type":"run.completed","run_id":"run_1"`;
    expect(output()).toBe(
      `{"level":"INFO","message":"deliveries.acknowledged","timestamp":"${isoTime}","service":"webhooks",` +
        `"endpoints":[{"customer_id":"${customerId}","webhook_id":"${webhookId}","deliveries":[` +
        `{"delivery_id":"${delivery.id}",${ids},"attempt":1,"response_status":200,"duration_ms":184}]},` +
        `{"customer_id":"${customerId}","webhook_id":"whe_2","deliveries":[` +
        `{"delivery_id":"${replay.id}",${ids},"attempt":2,"response_status":200,"repeated":true,"duration_ms":7}]}],` +
        '"stage":"test","outcome_class":"2xx","status":"delivered","Attempts":2,"AttemptFailed3":[0],' +
        '"AttemptDuration":[184,7],"FirstPostLatency":[171],"AttemptFailed2":[0],"DeliveriesEnded":2,' +
        `"_aws":{"Timestamp":${startOfTest},"CloudWatchMetrics":[` +
        '{"Namespace":"Webhooks","Dimensions":[["stage","outcome_class"]],"Metrics":[{"Name":"Attempts"}]},' +
        '{"Namespace":"Webhooks","Dimensions":[["stage"]],"Metrics":[{"Name":"AttemptFailed3"},' +
        '{"Name":"AttemptDuration","Unit":"Milliseconds"},{"Name":"FirstPostLatency","Unit":"Milliseconds"},' +
        '{"Name":"AttemptFailed2"}]},' +
        '{"Namespace":"Webhooks","Dimensions":[["stage","status"]],"Metrics":[{"Name":"DeliveriesEnded"}]}' +
        ']}}\n',
    );
  });
});

describe('the metrics of an attempt', () => {
  it('an attempt that leaves its delivery waiting ends no delivery', () => {
    attempted({ attempt: 2, entry: { ...rejected }, transition: waits });

    expect(measured()).toEqual({
      Attempts: attemptOf('5xx'),
      AttemptFailed3: messages(1),
      AttemptDuration: milliseconds(61),
    });
    expect(output()).toContain(
      `"status":"pending","next_attempt_at":"${new Date(startOfTest + 600_000).toISOString()}"`,
    );
  });

  it('an attempt whose worker died has no duration', () => {
    const transition = { status: 'failed', endedAt: startOfTest } as const;
    report({ name: 'delivery.interrupted', delivery, attempt: 3, transition });

    expect(measured()).toEqual({
      Attempts: attemptOf('interrupted'),
      AttemptFailed3: messages(1),
      DeliveriesEnded: endOf('failed'),
    });
  });

  it('a delivery whose endpoint was deleted ends without an attempt', () => {
    report({ name: 'delivery.cancelled', delivery, reason: 'endpoint_deleted' });

    expect(measured()).toEqual({ DeliveriesEnded: endOf('cancelled') });
  });

  it('a handshake says nothing about endpoints that worked, and has no latency', () => {
    attempted({ delivery: buildDelivery({ event: { ...event, type: 'webhook.test', runId: null } }) });

    expect(Object.keys(measured())).toEqual(['Attempts', 'AttemptDuration', 'DeliveriesEnded']);
  });

  it.each([
    ['a second attempt', { attempt: 2 }],
    ['a replay', { delivery: buildDelivery({ event, replayOf: 'whd_1' }) }],
    ['an attempt without a response', { entry: { timings: { ...acknowledged.timings, firstByteMs: null } } }],
    ['an event whose id has no time', { delivery: buildDelivery({ event: { ...event, id: 'evt_1' } }) }],
  ])('%s has no latency from event to first POST', (_title, given) => {
    attempted(given);

    expect(measured()).toHaveProperty('AttemptDuration');
    expect(measured()).not.toHaveProperty('FirstPostLatency');
  });

  it('a clock that is behind that of the intake makes no negative latency', () => {
    attempted({ entry: { at: startOfTest - 10_000 } });

    expect(measured()).toMatchObject({ FirstPostLatency: { value: 0 } });
  });
});

describe('the metrics of an intake batch', () => {
  it('counts each result that occurred', () => {
    report({
      name: 'intake.done',
      results: ['accepted', 'repeated', 'accepted', 'unknown_customer', 'retried'],
      events: [],
    });

    expect(measured()).toEqual({
      IntakeAccepted: messages(2),
      IntakeRepeated: messages(1),
      IntakeUnknownCustomer: messages(1),
      IntakeRetried: messages(1),
    });
  });
});
