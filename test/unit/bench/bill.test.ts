import { describe, expect, it } from 'vitest';
import { type AwsCall, noUnits } from '../../../bench/units/aws-call.ts';
import { billPerMillion, total, unitsPerEvent } from '../../../bench/units/bill.ts';
import { floorOf } from '../../../bench/units/floor.ts';

const call = (given: Partial<AwsCall>): AwsCall => ({
  service: 'dynamodb',
  name: 'PutItem Delivery',
  session: 'deliver',
  writeUnits: noUnits,
  readUnits: noUnits,
  isRefused: false,
  messages: 0,
  requests: 1,
  ...given,
});

describe('unitsPerEvent()', () => {
  it('divides the calls of all services by the events', () => {
    const calls = [
      call({ writeUnits: { table: 2, listed: 1 } }),
      call({ writeUnits: { table: 1 }, isRefused: true }),
      call({ readUnits: { table: 0.5 } }),
      call({ service: 'sqs', requests: 2, messages: 20 }),
      call({ service: 'kms' }),
      call({ service: 'scheduler' }),
    ];
    const invocations = [{ durationMs: 10.2, memoryMegabytes: 512 }];

    expect(unitsPerEvent({ calls, invocations, logBytes: 100 }, 2)).toEqual({
      writeUnits: 2,
      indexUnits: 0.5,
      refusedUnits: 0.5,
      readUnits: 0.25,
      tableCalls: 1.5,
      sqsRequests: 1,
      invocations: 0.5,
      gbMs: 2.75,
      schedules: 0.5,
      kmsCalls: 0.5,
      logBytes: 50,
    });
  });
});

describe('billPerMillion()', () => {
  it('multiplies the units of a million events by their list prices', () => {
    const bill = billPerMillion({ writeUnits: 4, readUnits: 2, invocations: 1, gbMs: 1_000, schedules: 2 });

    expect(bill).toMatchObject({ SQS: 0, Scheduler: 2, 'Lambda requests': 0.2 });
    expect(bill['DynamoDB writes']).toBeCloseTo(2.5);
    expect(bill['DynamoDB reads']).toBeCloseTo(0.25);
    expect(bill['Lambda time']).toBeCloseTo(13.3334);
    expect(total(bill)).toBeCloseTo(18.2834);
  });
});

describe('floorOf()', () => {
  it('writes once for the Run and twice for each attempt', () => {
    expect(floorOf({ deliveries: 1, attempts: 1, batch: 10 })).toMatchObject({
      writeUnits: 3,
      readUnits: 0.1,
      sqsRequests: 0.2,
      schedules: 0,
    });
    expect(floorOf({ deliveries: 5, attempts: 1, batch: 1 }).writeUnits).toBe(11);
    expect(floorOf({ deliveries: 1, attempts: 3, batch: 1 })).toMatchObject({ writeUnits: 7, schedules: 1 });
  });
});
