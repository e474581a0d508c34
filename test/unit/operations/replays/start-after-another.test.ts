import { describe, expect, it } from 'vitest';
import { type BulkReplay, newBulkReplay } from '#shared/domain/bulk-replay.ts';
import { startReplay } from '#shared/operations/replays/start-replay.ts';
import { buildEndpoint, customerId, hour, startOfTest, webhookId } from '../../../support/values/builders.ts';

const now = startOfTest + hour;
const request = {
  customerId,
  webhookId,
  rate: 10,
  requestedBy: { by: 'operator', note: null },
  selection: { status: 'failed', createdAfter: startOfTest, createdBefore: null },
} as const;

const endedAgo = (ms: number): BulkReplay => ({
  ...newBulkReplay(
    { ...request, selection: { ...request.selection, createdBefore: now } },
    startOfTest,
    new Uint8Array(10),
  ),
  status: 'cancelled',
  endedAt: now - ms,
});

/** Seconds after which the first step runs when `before` was the newest bulk replay of the endpoint. */
async function firstStepAfter(before: BulkReplay | null): Promise<number> {
  const delays: number[] = [];
  const start = startReplay({
    now: () => now,
    randomBytes: (size) => new Uint8Array(size),
    readEndpoint: async () => buildEndpoint(),
    readRunningReplay: async () => null,
    readBulkReplays: async () => ({ rows: before === null ? [] : [before], next: null }),
    storeBulkReplay: async () => true,
    sendReplayStep: async (_step, seconds) => void delays.push(seconds),
    report: () => undefined,
  });
  await start(request);
  return delays.reduce((sum, delay) => sum + delay, 0);
}

describe('startReplay()', () => {
  it('begins once the replays of the one before are sent, so that the endpoint receives the pace of one', async () => {
    expect(await firstStepAfter(null)).toBe(3);
    expect(await firstStepAfter(endedAgo(hour))).toBe(3);
    expect(await firstStepAfter(endedAgo(9_000))).toBe(3);
    expect(await firstStepAfter(endedAgo(3_500))).toBe(7);
    expect(await firstStepAfter(endedAgo(0))).toBe(10);
  });

  it('waits no longer when the clock of the other machine is ahead', async () => {
    expect(await firstStepAfter(endedAgo(-60_000))).toBe(10);
  });
});
