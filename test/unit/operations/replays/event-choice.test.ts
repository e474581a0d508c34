import { describe, expect, it } from 'vitest';
import { bulkReplayedId, type ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { DeliveryStatus } from '#shared/domain/delivery.ts';
import { EventChoice } from '#shared/operations/replays/event-choice.ts';
import type { Candidate, ReplayState } from '#shared/operations/replays/ports.ts';
import { buildEndpoint, startOfTest } from '../../../support/values/builders.ts';

const jobId = 'rpl_job';
const ownReplayOf = (id: string) => bulkReplayedId(jobId, id, startOfTest, 1);

/** Deliveries of the event `evt_1` unless they say otherwise. */
const candidate = (id: string, given: Partial<Candidate> = {}): Candidate => ({
  id,
  eventId: 'evt_1',
  replayOf: null,
  replayedBy: null,
  ...given,
});
const replay = (id: string, status: DeliveryStatus, of = 'whd_0'): ReplayState => ({
  id,
  status,
  replayOf: of,
});

/** A choice among deliveries of one endpoint that has these replays. */
function choiceOf(
  replays: readonly ReplayState[],
  status: ReplayableStatus = 'failed',
  by: string | null = jobId,
) {
  const lists: string[] = [];
  const choice = new EventChoice(
    {
      readReplayStates: async (_, ids) => replays.filter(({ id }) => ids.includes(id)),
      listEventReplays: async (_, eventId) => {
        lists.push(eventId);
        return replays.map(({ id }) => id);
      },
    },
    buildEndpoint(),
    status,
    by,
  );
  return { choice, lists, choose: async (...rows: readonly Candidate[]) => [...(await choice.choose(rows))] };
}

describe('EventChoice', () => {
  it('chooses events that were never replayed without a read', async () => {
    const { choice, choose } = choiceOf([]);

    expect(await choose(candidate('whd_0'), candidate('whd_1', { eventId: 'evt_2' }))).toEqual([
      'whd_0',
      'whd_1',
    ]);
    expect(choice.reads).toBe(0);
  });

  it('chooses the oldest of an event whose replays have all failed, once', async () => {
    const { choose } = choiceOf([replay('whd_1', 'failed'), replay('whd_2', 'failed')]);
    const rows = [candidate('whd_0', { replayedBy: 'whd_2' }), candidate('whd_1', { replayOf: 'whd_0' })];

    expect(await choose(...rows)).toEqual(['whd_0']);
    expect(await choose(candidate('whd_2', { replayOf: 'whd_0' }))).toEqual([]);
  });

  it('chooses a failed replay whose event is not among the selected', async () => {
    const { choose } = choiceOf([replay('whd_1', 'failed')]);

    expect(await choose(candidate('whd_1', { replayOf: 'whd_0' }))).toEqual(['whd_1']);
  });

  it.each(['pending', 'delivered'] as const)(
    'leaves out an event of which a replay is %s',
    async (status) => {
      const { choose, lists } = choiceOf([replay('whd_1', 'failed'), replay('whd_2', status, 'whd_1')]);

      expect(await choose(candidate('whd_0', { replayedBy: 'whd_1' }))).toEqual([]);
      expect(await choose(candidate('whd_1', { replayOf: 'whd_0', replayedBy: 'whd_2' }))).toEqual([]);
      // The newest replay settles the second one.
      expect(lists).toEqual(['evt_1']);
    },
  );

  it('chooses a delivery whose replay is gone', async () => {
    const { choose } = choiceOf([]);

    expect(await choose(candidate('whd_0', { replayedBy: 'whd_gone' }))).toEqual(['whd_0']);
  });

  it('leaves out delivered replays where delivered ones are chosen, without a read', async () => {
    const { choice, choose } = choiceOf([replay('whd_1', 'delivered')], 'delivered');
    const rows = [candidate('whd_0', { replayedBy: 'whd_1' }), candidate('whd_1', { replayOf: 'whd_0' })];

    expect(await choose(...rows)).toEqual([]);
    expect(choice.reads).toBe(0);
  });

  it('chooses a delivered event again when its replay failed', async () => {
    const { choose } = choiceOf([replay('whd_1', 'failed')], 'delivered');

    expect(await choose(candidate('whd_0', { replayedBy: 'whd_1' }))).toEqual(['whd_0']);
  });

  it('chooses what the job has replayed itself, and nothing else of the event, also after that has failed', async () => {
    const own = ownReplayOf('whd_0');
    const { choose } = choiceOf([replay('whd_1', 'failed'), replay(own, 'failed')]);
    const second = candidate('whd_1', { replayOf: 'whd_0' });

    expect(await choose(second)).toEqual([]);
    expect(await choose(second, candidate('whd_0', { replayedBy: own }))).toEqual(['whd_0']);
    expect(await choiceOf([replay(own, 'failed')], 'failed', null).choose(second)).toEqual(['whd_1']);
  });

  it('counts what it reads: a state as four deliveries, a list as eight', async () => {
    const { choice, choose } = choiceOf([replay('whd_1', 'failed'), replay('whd_2', 'failed')]);

    await choose(candidate('whd_0', { replayedBy: 'whd_2' }));

    expect(choice.reads).toBe(4 + 8 + 4);
  });

  it('reads at most 100 replays at once', async () => {
    const rows = Array.from({ length: 250 }, (_, number) =>
      candidate(`whd_${number}`, { eventId: `evt_${number}`, replayedBy: `whd_r${number}` }),
    );
    const sizes: number[] = [];
    const choice = new EventChoice(
      {
        readReplayStates: async (_, ids) => {
          sizes.push(ids.length);
          return ids.map((id) => replay(id, 'delivered'));
        },
        listEventReplays: async () => [],
      },
      buildEndpoint(),
      'failed',
      null,
    );

    expect([...(await choice.choose(rows))]).toEqual([]);
    expect(sizes).toEqual([100, 100, 50]);
  });
});
