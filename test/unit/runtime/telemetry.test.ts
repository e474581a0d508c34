import { describe, expect, it } from 'vitest';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { describe as describeCause } from '#shared/runtime/log-facts.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { useOutput } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import {
  buildDelivery,
  buildLogEntry,
  customerId,
  deliveryIdNumber,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

/** A whole delivery, with members that must not leave the process. */
const delivery = {
  ...buildDelivery({ body: '{"id":"evt_1","type":"run.completed","run_id":"run_1","kind":"swordfish"}' }),
  claim: { fencingToken: 'swordfish-token', leaseUntil: startOfTest },
  secret: 'whsec_swordfish',
};

const events: TelemetryEvent[] = [
  {
    name: 'delivery.attempted',
    delivery,
    attempt: 1,
    entry: buildLogEntry(),
    transition: { status: 'pending', retryAt: startOfTest },
  },
  {
    name: 'delivery.interrupted',
    delivery,
    attempt: 1,
    transition: { status: 'failed', endedAt: startOfTest },
  },
  { name: 'delivery.cancelled', delivery, reason: 'endpoint_deleted' },
  { name: 'delivery.superseded', delivery, attempt: 1 },
  { name: 'delivery.stranded', delivery, createdAt: startOfTest },
  { name: 'attempt.released', delivery, attempt: 1, reason: 'out_of_time' },
  { name: 'step.failed', step: 'schedule', delivery, cause: new Error('throttled') },
];

/** The names of all members at any depth. */
function namesIn(value: unknown): readonly string[] {
  return value instanceof Object
    ? Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)])
    : [];
}

const output = useOutput();

describe('report()', () => {
  it.each(events)('writes one line about $name, with ids and without body, claim or secret', (event) => {
    report(event);

    const lines = output().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      message: event.name,
      level: event.name === 'step.failed' ? 'ERROR' : 'INFO',
      customer_id: customerId,
      webhook_id: webhookId,
      delivery_id: deliveryIdNumber(1),
      event_id: 'evt_1',
      event_type: 'run.completed',
      run_id: 'run_1',
    });
    expect(output()).not.toContain('swordfish');
    const { facts } = readEmbedded(output());
    expect(namesIn(facts).filter((name) => !/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it.each<[TelemetryEvent, object]>([
    [
      {
        name: 'row.unreadable',
        kind: 'Run',
        key: { pk: 'RUN#cus_1#run_1', sk: 'RUN' },
        fault: 'settled: must be JSON',
      },
      {
        level: 'ERROR',
        kind: 'Run',
        key: { pk: 'RUN#cus_1#run_1', sk: 'RUN' },
        fault: 'settled: must be JSON',
      },
    ],
    [
      { name: 'unknown_customer', type: 'run.settled', customerId: 'cus_nobody' },
      { level: 'WARN', type: 'run.settled', customer_id: 'cus_nobody' },
    ],
    [
      { name: 'step.failed', step: 'enqueue', cause: new RangeError('too many') },
      { level: 'ERROR', step: 'enqueue', cause: { kind: 'RangeError', message: 'too many' } },
    ],
  ])('says what happened with $name', (event, members) => {
    report(event);

    expect(JSON.parse(output())).toMatchObject({ message: event.name, ...members });
  });
});

describe('describe()', () => {
  it('describe() gives the kind and the message of an error, and none of its other members', () => {
    const error = Object.assign(new TypeError('wrong'), { body: 'swordfish' });

    expect(describeCause(error)).toEqual({ kind: 'TypeError', message: 'wrong' });
  });

  it('describe() gives the id of a request that AWS refused, for which AWS support asks', () => {
    const error = Object.assign(new Error('slow down'), { $metadata: { requestId: 'aws-1' } });

    expect(describeCause(error)).toEqual({ kind: 'Error', message: 'slow down', aws_request_id: 'aws-1' });
  });

  it('describe() gives the type and the text of any other value', () => {
    expect(describeCause('down')).toEqual({ kind: 'string', message: 'down' });
    expect(describeCause(undefined)).toEqual({ kind: 'undefined', message: 'undefined' });
  });

  it('describe() cuts long texts', () => {
    expect(describeCause(new Error('x'.repeat(501))).message).toHaveLength(500);
    expect(describeCause('x'.repeat(501)).message).toHaveLength(500);
  });
});
