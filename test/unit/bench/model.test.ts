import { describe, expect, it } from 'vitest';
import { deployed } from '../../../bench/model/deployed.ts';
import { eventBill, sqsRequests } from '../../../bench/model/event-bill.ts';
import { batchWithoutWindow, batchWithWindow, lambdaUsd } from '../../../bench/model/lambda.ts';
import { outageAttempts } from '../../../bench/model/outage.ts';
import {
  breakEvenUtilization,
  onDemandMonth,
  provisionedMonth,
} from '../../../bench/model/table-capacity.ts';
import { parseConfig } from '../../../lib/config.ts';
import { functions, slowLane } from '../../../lib/functions.ts';

describe('the figures of docs/scaling.md, calculated by hand', () => {
  it('a million messages of 1,000 GB-ms, one in each batch, cost $0.20 of requests and $13.33 of memory', () => {
    const second = { cpuPerInvocation: 0, cpuPerMessage: 0, wait: 1_000 };

    expect(lambdaUsd(1_024, second, 1) * 1e6).toBeCloseTo(13.53, 2);
  });

  it('without a window, a batch grows to what lets the functions keep up, and never above its size', () => {
    const work = { cpuPerInvocation: 1, cpuPerMessage: 2, wait: 94 };
    const limits = { memoryMb: 1_769 / 2, work, batchSize: 10, functions: 5 };

    // Two messages take 104 ms: five functions make 96 messages a second.
    expect([50, 51, 96, 97, 10_000].map((rate) => batchWithoutWindow(limits, rate))).toEqual([
      1, 2, 2, 3, 10,
    ]);
  });

  it('with a window, each of five pollers collects its own share of the messages', () => {
    // A poller receives two messages a second: the first, and two more in the second that follows.
    const { messages, delayMs } = batchWithWindow({ batchSize: 10, windowMs: 1_000, pollers: 5 }, 10);

    expect(messages).toBe(3);
    expect(delayMs).toBeCloseTo((1_000 + 500 + 500) / 3, 6);
  });

  it('table and indexes pay for requests, or for the consumed units at the target or their minimum', () => {
    const load = { reads: 70, writes: 700, listedWrites: 70, waitingWrites: 0 };

    expect(onDemandMonth({ reads: 1, writes: 1, listedWrites: 0, waitingWrites: 0 })).toBeCloseTo(1.971, 4);
    // Writes: 1,000 for the table, 100 for `listed`, 3 for `waiting`. Reads: 100 and twice 3. Twelve alarms.
    const provisioned = 1_103 * 0.4745 + 106 * 0.0949 + 1.2;
    expect(provisionedMonth(load, { min: 10, utilization: 70 })).toBeCloseTo(provisioned, 2);
    expect(breakEvenUtilization()).toBeCloseTo(0.65 / 2.25, 6);
  });

  it('an event costs five SQS requests in batches of one, half a request in tens, and five write units', () => {
    expect([1, 10].map(sqsRequests)).toEqual([5, 0.5]);
    expect(eventBill({ rate: 1, batch: 1, endpoints: 1 }).writes * 1e6).toBe(3.125);
  });

  it('an outage of an hour fails first attempts for an hour, and second ones from ten minutes on', () => {
    expect(outageAttempts({ rate: 100, seconds: 3_600 })).toMatchObject({
      failed: 100 * (3_600 + 3_000),
      timers: 100 * (3_600 + 3_000),
      peakRate: 200,
      // Those of the last ten minutes wait for their second attempt, and those of the fifty before for their third.
      waiting: 100 * (600 + 3_000),
    });
  });
});

describe('the settings of the model', () => {
  it('are those of a stage with default values', () => {
    const memory = (folder: keyof typeof functions) => functions[folder].memory;
    const config = parseConfig((key) => (key === 'tableCapacity' ? 'provisioned' : undefined));

    expect(deployed).toMatchObject({
      intake: {
        memoryMb: memory('queue/intake'),
        batchSize: 10,
        functions: config.intakeConcurrency,
        timeoutMs: functions['queue/intake'].timeout * 1_000,
      },
      deliver: { memoryMb: memory('queue/deliver'), batchSize: 10, functions: config.deliveryConcurrency },
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
