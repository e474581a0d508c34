import * as z from 'zod/mini';
import type { OpenRun, SettledRun } from '#shared/contract/records/given-results.ts';
import { type StoredRun, storedRun, storedSettledRun } from '#shared/contract/records/stored-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { fanOutItem } from '../deliveries/fan-out-item.ts';
import { runsPartition } from '../keys.ts';
import { reads, storedJson } from '../stored-row.ts';

/**
 * A Run as one item. Its open and its settled state are two attributes, so that a late message about the open Run can
 * never overwrite the settled one.
 */
const { listed } = tableSchema.indexes;

const runText = z.pipe(storedJson, storedRun);
const runItem = z.pipe(
  z.object({ settled: z.optional(runText), open: z.optional(runText), [listed.sortKey]: z.string() }),
  z.transform((item, context): StoredRun => {
    const run = item.settled ?? item.open;
    if (run === undefined) {
      context.issues.push({ code: 'custom', message: 'must have `settled` or `open`', input: item });
      return z.NEVER;
    }
    // The first message about a Run decides its creation time, which is its place in the list.
    const [created_at = ''] = item[listed.sortKey].split('#');
    return { ...run, created_at };
  }),
);

const settledItem = z.object({ settled: z.pipe(storedJson, storedSettledRun) });

export const fromRunItem = reads('Run', runItem, (run) => run);

/** Reads the settled state of a Run. */
export const fromSettledItem = reads('Run', settledItem, ({ settled }) => settled);

/** Reads the settled state of a Run with the fan-out of its event. */
export const fromToldItem = reads('Run', z.extend(settledItem, { fan_out: fanOutItem }), ({ settled, fan_out }) => ({
  run: settled,
  fanOut: fan_out,
}));

/** The value of `open` or `settled`. */
export function toRunText(run: OpenRun | SettledRun): string {
  return JSON.stringify(run);
}

/** The place of a Run in its customer's list. The first message about the Run decides it. */
export function toRunPlace(customerId: string, run: Pick<StoredRun, 'id' | 'created_at'>) {
  return {
    [listed.partitionKey]: runsPartition(customerId, 0),
    [listed.sortKey]: `${run.created_at}#${run.id}`,
  };
}
