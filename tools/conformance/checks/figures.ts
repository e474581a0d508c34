import { type Check, checkOf, checksOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers, listAt } from '../harness/json.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { deletion, mainRecords, replays } from '../scenarios/endpoints.ts';
import { is } from './fields.ts';
import { expectInvalid, expectStatus } from './problems.ts';

const sumOf = (counts: unknown): number =>
  ['pending', 'delivered', 'failed'].reduce((sum, status) => sum + Number(at(counts, status)), 0);

export const figures: readonly Check[] = [
  ...checksOf(mainRecords, {
    'the figures of an endpoint state their window': ({ stats }) => {
      expectStatus(stats, 200);
      const window = at(stats.json, 'window');
      expectThat(is.timestamp(at(window, 'created_after')), 'created_after: a timestamp', show(window));
      expectThat(is.timestamp(at(window, 'computed_at')), 'computed_at: a timestamp', show(window));
      expectThat(is.boolean(at(window, 'older_left_out')), 'older_left_out: a boolean', show(window));
    },
    'the figures are of 24 hours, or of the time that is asked for, in 24 buckets': ({ stats, hour }) => {
      for (const [figures, length, seconds] of [
        [stats, '24h', 3_600],
        [hour, '1h', 150],
      ] as const) {
        expectStatus(figures, 200);
        expectMembers(at(figures.json, 'window'), { length });
        expectMembers(figures.json, { bucket_seconds: seconds });
        const times = listAt(figures.json, 'buckets').map((each) => Date.parse(String(at(each, 'created_after'))));
        const wanted = Array.from({ length: 24 }, (_, index) => Number(times[0]) + index * seconds * 1_000);
        expectEqual('beginnings of the buckets', times, wanted);
        expectEqual(
          'beginning of the window',
          Date.parse(String(at(figures.json, 'window', 'created_after'))),
          times[0],
        );
      }
    },
    'figures of an unknown time are refused': ({ unknownWindow }) => expectInvalid(unknownWindow),
    'the counts by status and over time both add up to the deliveries of the window': ({ stats }) => {
      const wanted = at(stats.json, 'window', 'deliveries');
      expectEqual('deliveries by status', sumOf(at(stats.json, 'deliveries')), wanted);
      const overTime = listAt(stats.json, 'buckets').reduce<number>((sum, each) => sum + sumOf(each), 0);
      expectEqual('deliveries over time', overTime, wanted);
    },
  }),
  checkOf('replays are counted apart from the deliveries of the figures', replays, ({ stats }) => {
    expectStatus(stats, 200);
    const { json } = stats;
    const counted = sumOf(at(json, 'replays'));
    expectThat(counted > 0, 'the replay in replays', show(at(json, 'replays')));
    const overTime = listAt(json, 'buckets').reduce<number>((sum, each) => sum + sumOf(at(each, 'replays')), 0);
    expectEqual('replays over time', overTime, counted);
    expectEqual('deliveries without replays', sumOf(at(json, 'deliveries')), at(json, 'window', 'deliveries'));
  }),
  checkOf('a failed test event is among the failed attempts', failedHandshake, ({ stats }) => {
    expectStatus(stats, 200);
    expectMembers(stats.json, { delivered_share: 0 });
    expectMembers(at(stats.json, 'failed_attempts', 0), { attempts: 1 });
  }),
  checkOf('the figures of a deleted endpoint stay readable', deletion, ({ stats }) => expectStatus(stats, 200)),
];
