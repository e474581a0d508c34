import { describe, expect, it } from 'vitest';
import { problem } from '#shared/contract/problem.ts';
import type { ReplayRequest } from '#shared/domain/bulk-replay.ts';
import type { Seed } from '#shared/operations/seed.ts';
import { startSafely } from '../../../tools/operator/replays/start-safely.ts';
import { countingBytes } from '../../support/operations/deps.ts';
import { buildBulkReplay, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

const request: ReplayRequest = {
  customerId,
  webhookId,
  rate: 10,
  requestedBy: { by: 'operator', note: null },
  selection: { status: 'failed', createdAfter: 0, createdBefore: startOfTest },
};

/** Starts of which the first ones fail, and what each made its id from. */
function world(failures: readonly Error[]) {
  const seeds: { readonly bytes: string; readonly isRepeated: boolean }[] = [];
  let at = startOfTest;
  const start = startSafely({
    now: () => (at += 1),
    randomBytes: countingBytes(),
    wait: async () => {},
    start: async (_request, seed?: Seed) => {
      const bytes = Buffer.from(seed?.entropy('bulkReplay') ?? []).toString('hex');
      seeds.push({ bytes: `${bytes} ${seed?.at}`, isRepeated: seed?.isRepeated ?? false });
      const failure = failures[seeds.length - 1];
      if (failure !== undefined) throw failure;
      return buildBulkReplay();
    },
  });
  return { seeds, start: () => start(request) };
}

const lost = new Error('The answer was lost');

describe('startSafely()', () => {
  it('repeats a start whose answer was lost with the same id', async () => {
    const { seeds, start } = world([lost, lost]);

    expect(await start()).toEqual(buildBulkReplay());
    expect(new Set(seeds.map(({ bytes }) => bytes)).size).toBe(1);
    expect(seeds.map(({ isRepeated }) => isRepeated)).toEqual([false, true, true]);
  });

  it('makes another id for each start', async () => {
    const { seeds, start } = world([]);
    await start();
    await start();

    expect(new Set(seeds.map(({ bytes }) => bytes)).size).toBe(2);
  });

  it.each([
    ['a refusal', [problem('webhook_not_active')], 1],
    ['the third failure', [lost, lost, lost], 3],
  ])('fails with %s', async (_, failures, count) => {
    const { seeds, start } = world(failures);

    await expect(start()).rejects.toBe(failures.at(-1));
    expect(seeds).toHaveLength(count);
  });
});
