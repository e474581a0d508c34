import { describe, expect, it } from 'vitest';
import { deployed } from '../../../bench/model/deployed.ts';
import { decryptsPerEvent, eventBill, sqsRequests, totalOf } from '../../../bench/model/event-bill.ts';
import {
  batchWithoutWindow,
  batchWithWindow,
  cpuTime,
  durationMs,
  functionsBusy,
  gbMsPerMessage,
  lambdaUsd,
} from '../../../bench/model/lambda.ts';
import { instancesFor, instancesMonth } from '../../../bench/model/managed-instances.ts';
import {
  batchThatKeepsUp,
  outageAttempts,
  outageBill,
  outageFunctions,
  startOfOutage,
} from '../../../bench/model/outage.ts';
import {
  breakEvenRate,
  breakEvenUtilization,
  onDemandMonth,
  provisionedMonth,
} from '../../../bench/model/table-capacity.ts';
import { parseConfig } from '../../../lib/config.ts';
import { functions, slowLane } from '../../../lib/functions.ts';

const half = 1_769 / 2;
const work = { cpuPerInvocation: 1, cpuPerMessage: 2, wait: 94 };

describe('the model of a function', () => {
  it('CPU takes twice as long with half of the memory that gives one vCPU, and no less time with more', () => {
    expect([half, 1_769, 3_538].map((memory) => cpuTime(memory, 5))).toEqual([10, 5, 5]);
  });

  it('messages of a batch wait together and compute one after the other', () => {
    expect([1, 3].map((messages) => durationMs(half, work, messages))).toEqual([100, 108]);
  });

  it('bills whole milliseconds', () => {
    expect(durationMs(1_769, { ...work, wait: 94.2 }, 1)).toBe(98);
  });

  it('a message pays its share of the memory of its batch', () => {
    // 512 MB for 94 ms of waiting, and no CPU.
    const waiting = { cpuPerInvocation: 0, cpuPerMessage: 0, wait: 94 };

    expect([1, 10].map((messages) => gbMsPerMessage(512, waiting, messages))).toEqual([47, 4.7]);
  });

  it('a million messages of 1,000 GB-ms, one in each batch, cost $0.20 of requests and $13.33 of memory', () => {
    const second = { cpuPerInvocation: 0, cpuPerMessage: 0, wait: 1_000 };

    expect(lambdaUsd(1_024, second, 1) * 1e6).toBeCloseTo(13.53, 2);
  });

  it('runs as many functions as messages arrive during one', () => {
    expect(functionsBusy(half, work, 1, 50)).toBe(5);
  });
});

describe('the model of a batch', () => {
  const limits = { memoryMb: half, work, batchSize: 10, functions: 5 };

  it('without a window, a batch has one message while a function is free', () => {
    expect(batchWithoutWindow(limits, 50)).toBe(1);
  });

  it('without a window, a batch grows to what lets the functions keep up, and never above its size', () => {
    // Two messages take 104 ms: five functions make 96 messages a second.
    expect([51, 96, 97, 10_000].map((rate) => batchWithoutWindow(limits, rate))).toEqual([2, 2, 3, 10]);
  });

  it('with a window, each of five pollers collects its own share of the messages', () => {
    // A poller receives two messages a second: the first, and two more in the second that follows.
    const { messages, delayMs } = batchWithWindow({ batchSize: 10, windowMs: 1_000, pollers: 5 }, 10);

    expect(messages).toBe(3);
    expect(delayMs).toBeCloseTo((1_000 + 500 + 500) / 3, 6);
  });

  it('with a window, a full batch does not wait for its end', () => {
    // 20 messages a second for each poller: nine more in 450 ms.
    const { messages, delayMs } = batchWithWindow({ batchSize: 10, windowMs: 1_000, pollers: 5 }, 100);

    expect(messages).toBe(10);
    expect(delayMs).toBeCloseTo((450 + 9 * 225) / 10, 6);
  });
});

describe('the model of the table', () => {
  const load = { reads: 70, writes: 700, listedWrites: 70, waitingWrites: 0 };

  it('on demand, a write and a read a second cost $1.64 and $0.33 a month', () => {
    const none = { reads: 0, writes: 0, listedWrites: 0, waitingWrites: 0 };

    expect(onDemandMonth({ ...none, writes: 1 })).toBeCloseTo(1.6425, 4);
    expect(onDemandMonth({ ...none, reads: 1 })).toBeCloseTo(0.3285, 4);
  });

  it('provisioned, table and indexes pay for the consumed units at the target, or for their minimum', () => {
    // Writes: 1,000 for the table, 100 for `listed`, 3 for `waiting`. Reads: 100 and twice 3. Twelve alarms.
    const expected = 1_103 * 0.4745 + 106 * 0.0949 + 1.2;

    expect(provisionedMonth(load, { min: 10, utilization: 70 })).toBeCloseTo(expected, 2);
  });

  it('provisioned units cost as much as requests when 29 % of them are used', () => {
    expect(breakEvenUtilization()).toBeCloseTo(0.65 / 2.25, 6);
  });

  it('provisioned capacity costs less from the rate on at which it no longer rests on its minimum', () => {
    const loadAt = (rate: number) => ({ reads: 0, writes: rate, listedWrites: 0, waitingWrites: 0 });
    // 25 + 7 + 7 write units and as many read units, and alarms: $23.41, or 14.3 writes a second on demand.
    expect(breakEvenRate(loadAt, { min: 25, utilization: 70 })).toBeCloseTo(14.3, 1);
  });
});

describe('the bill of an event', () => {
  it('needs five SQS requests in batches of one, and half a request in batches of ten', () => {
    expect([1, 10].map(sqsRequests)).toEqual([5, 0.5]);
  });

  it('five write units cost $3.125 for a million events, in batches of any size', () => {
    const bills = [1, 10].map((batch) => eventBill({ rate: 1, batch, endpoints: 1 }));

    expect(bills.map(({ writes }) => writes * 1e6)).toEqual([3.125, 3.125]);
  });

  it('never costs more in fuller batches', () => {
    const totals = [1, 2, 5, 10].map((batch) => totalOf(eventBill({ rate: 100, batch, endpoints: 100 })));

    expect(totals).toEqual(totals.toSorted((one, other) => other - one));
  });

  it('decrypts for every second event when one event reaches each function while it keeps a secret', () => {
    expect(decryptsPerEvent({ rate: 1, batch: 1, endpoints: 60 }, 60)).toBeCloseTo(0.5, 6);
    expect(decryptsPerEvent({ rate: 1, batch: 1, endpoints: 20 }, 60)).toBeCloseTo(0.25, 6);
  });
});

describe('the model of an outage', () => {
  const hour = { rate: 100, seconds: 3_600 };

  it('an outage of an hour fails first attempts for an hour, and second ones from ten minutes on', () => {
    expect(outageAttempts(hour)).toEqual({
      failed: 100 * (3_600 + 3_000),
      timers: 100 * (3_600 + 3_000),
      peakRate: 200,
      indexWrites: 2 * 100 * (3_600 + 3_000),
      // Those of the last ten minutes wait for their second attempt, and those of the fifty before for their third.
      waiting: 100 * (600 + 3_000),
    });
  });

  it('a third failure has no timer', () => {
    const twoHours = outageAttempts({ rate: 1, seconds: 7_200 });

    expect(twoHours.failed).toBe(7_200 + 6_600 + 3_600);
    expect(twoHours.timers).toBe(7_200 + 6_600);
  });

  it('200 attempts a second of about ten seconds occupy 2,000 functions singly, a tenth in tens', () => {
    const [single = 0, ten = 0] = [1, 10].map((batch) => outageFunctions(hour, { memoryMb: 1_769, batch }));

    expect(single).toBeCloseTo(2_004, -1);
    expect(ten).toBeCloseTo(200.8, 0);
    expect(batchThatKeepsUp(hour, 1_769, 210)).toBe(10);
  });

  it('timers cost $1 a million, and waiting costs by memory and batch', () => {
    const one = outageBill(hour, { memoryMb: 1_024, batch: 1 });
    const ten = outageBill(hour, { memoryMb: 1_024, batch: 10 });

    expect(one.timers).toBeCloseTo(0.66, 6);
    // 660,000 attempts of a little over ten seconds.
    expect(one.memory).toBeCloseTo(660_000 * 10.02 * 0.000_013_333_4, 0);
    expect(ten.memory / one.memory).toBeCloseTo(0.1, 2);
  });

  it('messages wait at the start until enough functions run', () => {
    // Five functions end five attempts a second in batches of ten; five more each second. 95 lacking: 19 s.
    expect(startOfOutage(hour, 10)).toEqual({ backlog: 902.5, seconds: 19 });
    expect(startOfOutage({ rate: 5, seconds: 1 }, 10)).toEqual({ backlog: 0, seconds: 0 });
  });
});

describe('the model of managed instances', () => {
  it('needs three instances at least, and then enough for the CPU at half use', () => {
    // 7.3 CPU-ms: 1,000 events a second use 7.3 vCPUs, so 14.6, on eight instances of two.
    expect([1, 1_000, 10_000].map(instancesFor)).toEqual([3, 8, 73]);
    expect(instancesMonth(1)).toBeCloseTo(3 * 0.0816 * 1.15 * 730, 6);
  });
});

describe('the settings of the model', () => {
  it('are those of a stage with default values', () => {
    const memory = (folder: keyof typeof functions) => functions[folder].memory;
    const config = parseConfig((key) => (key === 'tableCapacity' ? 'provisioned' : undefined));

    expect(deployed).toMatchObject({
      intake: {
        memoryMb: memory('queue/intake'),
        functions: config.intakeConcurrency,
        timeoutMs: functions['queue/intake'].timeout * 1_000,
      },
      deliver: { memoryMb: memory('queue/deliver'), functions: config.deliveryConcurrency },
      slowLane: {
        memoryMb: memory('queue/deliver-slow'),
        batchSize: slowLane.batchSize,
        functions: config.slowDeliveryConcurrency,
      },
      api: { memoryMb: memory('api/get-delivery') },
    });
    expect(config.tableCapacity).toMatchObject({
      writes: { min: deployed.provisioned.min },
      reads: { min: deployed.provisioned.min },
      utilization: deployed.provisioned.utilization,
    });
  });
});
