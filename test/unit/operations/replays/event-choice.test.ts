import { describe, expect, it } from 'vitest';
import { eventReplayKey } from '#shared/aws/table/keys.ts';
import type { ReplayState } from '#shared/aws/table/replays/event-replays.ts';
import { bulkReplayedId, type Candidate, type ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import type { DeliveryStatus } from '#shared/domain/delivery.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { EventChoice } from '#shared/operations/replays/event-choice.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildDelivery,
  buildEndpoint,
  eventId,
  minute,
  otherWebhookId,
  startOfTest,
} from '../../../support/values/builders.ts';

const jobId = 'rpl_job';
const endpoint = buildEndpoint();
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

/**
 * A choice among deliveries of one endpoint that has these replays of `evt_1`, and was sent `eventId` itself.
 * `asked`: how often it made a request.
 */
function choiceOf(
  replays: readonly ReplayState[],
  status: ReplayableStatus = 'failed',
  by: string | null = jobId,
  source: { readonly id: string } = endpoint,
) {
  const { records, ports, asked } = recordStore({
    deliveries: [buildDelivery({}, 0), ...replays.map((each) => buildDelivery(each))],
  });
  for (const { id } of replays)
    records.put(eventReplayKey({ customerId: endpoint.customerId, webhookId: endpoint.id, id }, 'evt_1'));
  const choice = new EventChoice(ports.table, { endpoint, source, status, jobId: by });
  const choose = async (...rows: readonly Candidate[]) => [...(await choice.choose(rows))];
  return { choice, choose, asked: (name: string) => asked.filter((each) => each === name).length };
}

const list = 'query EVT';

describe('EventChoice', () => {
  it('chooses events that were never replayed without a read', async () => {
    const { choice, choose } = choiceOf([]);

    expect(await choose(candidate('whd_0'), candidate('whd_1', { eventId: 'evt_2' }))).toEqual(['whd_0', 'whd_1']);
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

  it.each(['pending', 'delivered'] as const)('leaves out an event of which a replay is %s', async (status) => {
    const { choose, asked } = choiceOf([replay('whd_1', 'failed'), replay('whd_2', status, 'whd_1')]);

    expect(await choose(candidate('whd_0', { replayedBy: 'whd_1' }))).toEqual([]);
    expect(await choose(candidate('whd_1', { replayOf: 'whd_0', replayedBy: 'whd_2' }))).toEqual([]);
    // The newest replay settles the second one.
    expect(asked(list)).toBe(1);
  });

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
    const { choose, asked } = choiceOf(rows.map((_, number) => replay(`whd_r${number}`, 'delivered')));

    expect(await choose(...rows)).toEqual([]);
    // DynamoDB refuses to read more at once.
    expect(asked('batch get')).toBe(3);
  });

  describe('among deliveries of another endpoint', () => {
    const chooseFrom = (replays: readonly ReplayState[]) =>
      choiceOf(replays, 'delivered', jobId, { id: otherWebhookId });

    it('looks every event up, and chooses one delivery of each', async () => {
      const { choose, asked, choice } = chooseFrom([]);
      const rows = [candidate('whd_0'), candidate('whd_1', { replayOf: 'whd_0' })];

      expect(await choose(...rows, candidate('whd_2', { eventId: 'evt_2' }))).toEqual(['whd_0', 'whd_2']);
      expect(asked(list)).toBe(2);
      expect(choice.reads).toBe(16);
    });

    it('does not mind what was replayed to that endpoint', async () => {
      const { choose } = chooseFrom([]);

      expect(await choose(candidate('whd_0', { replayedBy: 'whd_9' }))).toEqual(['whd_0']);
    });

    it.each([
      ['was delivered', replay('whd_9', 'delivered'), []],
      ['is pending', replay('whd_9', 'pending'), []],
      ['has failed', replay('whd_9', 'failed'), ['whd_0']],
      ['this job has sent', replay(ownReplayOf('whd_0'), 'failed', 'whd_0'), []],
    ])('decides by the replay to this endpoint, which %s', async (_, sent, chosen) => {
      const { choose } = chooseFrom([sent]);

      expect(await choose(candidate('whd_0'))).toEqual(chosen);
    });

    it('leaves out an event that this endpoint was sent itself, and looks only since it exists', async () => {
      const { choose, asked } = chooseFrom([]);

      expect(await choose(candidate('whd_0', { eventId }), candidate('whd_1', { eventId: 'evt_0' }))).toEqual([
        'whd_1',
      ]);
      expect(asked('query DLV')).toBe(1);
    });

    it.each([
      [4, 1],
      [6, 0],
    ])('looks by another clock: an event of %i minutes before this endpoint, in %i reads', async (minutes, reads) => {
      const { choose, asked } = chooseFrom([]);
      const before = makeId('event', endpoint.createdAt - minutes * minute, digest('before'));

      expect(await choose(candidate('whd_0', { eventId: before }))).toEqual(['whd_0']);
      expect(asked('query DLV')).toBe(reads);
    });

    it('takes the delivery that this job has replayed already', async () => {
      const { choose, choice } = chooseFrom([]);

      expect(await choose(candidate('whd_0', { replayedBy: ownReplayOf('whd_0') }))).toEqual(['whd_0']);
      expect(choice.reads).toBe(0);
    });
  });
});
