import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import { readRun, readRuns } from '#shared/aws/table/results/runs.ts';
import { readChangeReports, readTracker } from '#shared/aws/table/results/trackers.ts';
import { readCreatorVideos, readRunItems } from '#shared/aws/table/results/videos.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import type { OpenRun, SettledRun } from '#shared/contract/records/given-results.ts';
import { canonicalHandle } from '#shared/domain/creator.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { useTable } from '../support/aws/table.ts';
import { createReports } from '../support/operations/deps.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import { buildEndpoint } from '../support/values/builders.ts';
import { hostileMessages, writeJson } from '../support/values/hostile-messages.ts';

const { current } = useTable();

/** Accepts one message of a customer that is new, so that all that can be read was said by it. */
async function accept(message: IntakeMessage): Promise<void> {
  const { report, events } = createReports();
  const { customer_id: id } = message;
  await storeCustomer(current(), { id, name: id, createdAt: 0 });
  await current().putEndpoints(buildEndpoint({ customerId: id }));
  const { accept } = tableIntake(current(), () => 0, report);
  expect(await accept([message])).toEqual(['done']);
  expect(events.map(({ name }) => name)).toEqual(['intake.done']);
}

const page = { after: null, limit: 100 };
const rowsOf = async <T>(read: Promise<Rows<T>>) => (await read).rows;

/** What the message said, and what is read of it, by its id and in its lists. */
async function readBack(message: IntakeMessage): Promise<readonly (readonly [unknown, unknown])[]> {
  const table = current();
  const { customer_id } = message;
  const ofRun = async (run: SettledRun | OpenRun): Promise<readonly (readonly [unknown, unknown])[]> => [
    [await readRun(table, customer_id, run.id), run],
    [await rowsOf(readRuns(table, customer_id, page)), [run]],
  ];
  switch (message.type) {
    case 'run.saved':
    case 'run.settled':
      return ofRun(message.run);
    case 'tracker.saved':
      return [[await readTracker(table, customer_id, message.tracker.id), message.tracker]];
    case 'change_report.written': {
      const { tracker_id, change_report, run } = message;
      const reports = await rowsOf(readChangeReports(table, customer_id, tracker_id, page));
      return [[reports, [change_report]], ...(await ofRun({ ...run, tracker_id }))];
    }
    case 'run.items_saved':
      return [[await rowsOf(readRunItems(table, customer_id, message.run_id, page)), unlike(message.items, 'first')]];
    case 'creator_videos.saved': {
      const creator = { platform: message.platform, handle: canonicalHandle(message.handle) };
      const videos = await rowsOf(readCreatorVideos(table, customer_id, creator, page));
      return [[videos, unlike(message.videos, 'last')]];
    }
  }
}

/** As lists show them: each video once, newest first. */
function unlike<V extends { readonly id: string; readonly platform: string; readonly posted_at: string }>(
  videos: readonly V[],
  kept: 'first' | 'last',
): readonly V[] {
  const ordered = kept === 'first' ? videos.toReversed() : videos;
  const unique = [...new Map(ordered.map((video) => [`${video.id}#${video.platform}`, video])).values()];
  const place = (video: V) => Buffer.from(`${video.posted_at}#${video.id}#${video.platform}`);
  return unique.sort((one, other) => Buffer.compare(place(other), place(one)));
}

/** As JSON has it: there is one zero, and no member without a value. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it.each(Object.entries(hostileMessages))('an accepted message is read back as it was given: %s', async (_, hostile) => {
  let accepted = 0;

  await fc.assert(
    fc.asyncProperty(hostile, async (given) => {
      const parsed = intakeMessage.safeParse(JSON.parse(writeJson(given)));
      if (!parsed.success) return;
      accepted += 1;
      const message = { ...parsed.data, customer_id: `cus_${accepted}` };

      await accept(message);

      for (const [read, said] of await readBack(message)) expect(asJson(read)).toEqual(asJson(said));
      expect(current().reports).toEqual([]);
    }),
    { numRuns: 25, seed: 5 },
  );

  expect(accepted).toBeGreaterThan(10);
});
