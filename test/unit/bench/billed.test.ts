import { describe, expect, it } from 'vitest';
import { billedTimeouts } from '../../../bench/neighbour/billed.ts';
import type { InvocationRecord } from '../../../local/aws/lambda/invocation-record.ts';

const record: InvocationRecord = {
  title: 'local: queue/deliver',
  folder: 'queue/deliver',
  memoryMegabytes: 512,
  durationMs: 10_000,
  records: 1,
  coldStart: false,
  initMs: 0,
  outcome: 'success',
};

describe('billedTimeouts()', () => {
  it('divides duration times memory by the messages of the batches, by function and together', () => {
    const slow = { ...record, folder: 'queue/deliver-slow', memoryMegabytes: 256, records: 9 };

    expect(billedTimeouts([record, slow])).toEqual([
      { folder: 'queue/deliver', invocations: 1, messages: 1, gbMsPerMessage: 5_000 },
      { folder: 'queue/deliver-slow', invocations: 1, messages: 9, gbMsPerMessage: 2_500 / 9 },
      { folder: 'all', invocations: 2, messages: 10, gbMsPerMessage: 750 },
    ]);
  });

  it('leaves out invocations in which no attempt timed out, and other functions', () => {
    const quick = { ...record, durationMs: 5_000 };
    const intake = { ...record, folder: 'queue/intake' };

    expect(billedTimeouts([quick, intake])).toEqual([]);
  });
});
