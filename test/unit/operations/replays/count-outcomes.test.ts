import { expect, it } from 'vitest';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { listBulkReplays } from '#shared/operations/replays/list-bulk-replays.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { buildBulkReplay, buildEndpoint, customerId, webhookId } from '../../../support/values/builders.ts';

const jobs = [19_000, 0, 1_000, 1, 500].map((replayed) => ({ ...buildBulkReplay(), replayed }));
const ended = { delivered: 1, failed: 0 };

it('a page of bulk replays counts the outcomes of 20,000 replays, and those of the newest', async () => {
  const list = listBulkReplays({
    cursors,
    readEndpoint: async () => buildEndpoint(),
    readBulkReplays: async () => ({ rows: jobs, next: null }),
    readEndedReplays: async () => ended,
  });

  const { rows } = await list(customerId, webhookId, { limit: 25 });

  expect(rows.map(({ outcomes }) => outcomes)).toEqual([
    { ...ended, pending: 18_999 },
    { delivered: 0, failed: 0, pending: 0 },
    { ...ended, pending: 999 },
    null,
    null,
  ]);
});

it('the outcomes of a bulk replay of an earlier release are unknown', async () => {
  const job = { ...buildBulkReplay(), replayed: 5, isTallied: false };

  expect(await countOutcomes(unexpected('readEndedReplays'))(job)).toEqual({ ...job, outcomes: null });
});
