import { expect, it } from 'vitest';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { listBulkReplays } from '#shared/operations/replays/list-bulk-replays.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildBulkReplay,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

it('a page of bulk replays counts the outcomes of 20,000 replays, and those of the newest', async () => {
  const { records, ports } = recordStore({ endpoints: [buildEndpoint()] });
  for (const [age, replayed] of [19_000, 0, 1_000, 1, 500].entries()) {
    const job = { ...buildBulkReplay({}, startOfTest - age), replayed };
    records.putBulkReplay(job);
    await ports.openTallies(job, [`${job.id}#1.0`], startOfTest);
    await ports.addToTally(job, `${job.id}#1.0`, { delivered: ['a'], failed: [] });
  }
  const list = listBulkReplays({ ...ports, cursors });

  const { rows } = await list(customerId, webhookId, { limit: 25 });

  expect(rows.map(({ outcomes }) => outcomes)).toEqual([
    { delivered: 1, failed: 0, pending: 18_999 },
    { delivered: 0, failed: 0, pending: 0 },
    { delivered: 1, failed: 0, pending: 999 },
    null,
    null,
  ]);
});

it('the outcomes of a bulk replay of an earlier release are unknown, and cost no read', async () => {
  const job = { ...buildBulkReplay(), replayed: 5, isTallied: false };
  const { table } = recordStore({ asking: unexpected('the table') });

  expect(await countOutcomes(table, job)).toEqual({ ...job, outcomes: null });
});
