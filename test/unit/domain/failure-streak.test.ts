import { describe, expect, it } from 'vitest';
import { type FailureStreak, newsIn, streakAfter } from '#shared/domain/failure-streak.ts';

const minute = 60_000;

type Step = readonly ['failed' | 'delivered', minutes: number, id?: string];

/** What the operator is told while deliveries end: the types, with the minutes of the ends and of the first failure. */
function toldOf(steps: readonly Step[], tellAfter = 3): readonly string[] {
  let streak: FailureStreak | null = null;
  return steps.flatMap(([status, minutes, id = `whd_${minutes}`]) => {
    const end = { deliveryId: id, status, endedAt: minutes * minute };
    const after = streakAfter({ recoveredAt: null, failureStreak: streak }, end, tellAfter);
    const news = newsIn(streak, after);
    streak = after;
    return news === null ? [] : [`${minutes}: ${news.type} since ${news.failingSince / minute}`];
  });
}

const failed = (...minutes: readonly number[]): readonly Step[] => minutes.map((at) => ['failed', at]);
const delivered = (at: number): Step => ['delivered', at];

describe('streakAfter()', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    ['nothing of two failures', failed(1, 2), []],
    ['of three in a row, once', failed(1, 2, 3, 4, 50), ['3: endpoint.failing since 1']],
    ['nothing of every second one that fails', [...failed(1), delivered(2), ...failed(3), delivered(4)], []],
    ['of the first failure after half an hour of nothing else', failed(1, 31), ['31: endpoint.failing since 1']],
    ['nothing of a second one before', failed(1, 30.9), []],
    [
      'of the recovery once',
      [...failed(1, 2, 3), delivered(4), delivered(5)],
      ['3: endpoint.failing since 1', '4: endpoint.recovered since 1'],
    ],
    ['nothing of a recovery from failures that were not told', [...failed(1, 2), delivered(3)], []],
    [
      'nothing of further failures within an hour of the last notice, and of the first one after it',
      [
        ...failed(1, 2, 3),
        delivered(4),
        ...failed(5, 6, 7, 62.9, 63),
        delivered(64),
        ...failed(65, 66, 67, 122.9, 123),
      ],
      [
        ...['3: endpoint.failing since 1', '4: endpoint.recovered since 1'],
        ...['63: endpoint.failing since 5', '64: endpoint.recovered since 5', '123: endpoint.failing since 65'],
      ],
    ],
    [
      'of at most one pair an hour when failures and deliveries alternate',
      Array.from({ length: 40 }, (_, at): Step => [at % 4 === 3 ? 'delivered' : 'failed', at]),
      ['2: endpoint.failing since 0', '3: endpoint.recovered since 0'],
    ],
    ['of an earlier failure as the first one, when it is noted late', failed(5, 4, 6), ['6: endpoint.failing since 4']],
    [
      'nothing of one that was delivered before the failure that was told',
      [...failed(1, 2, 3), delivered(2.5)],
      ['3: endpoint.failing since 1'],
    ],
    ['nothing of one that was delivered before all', [...failed(2), delivered(1), ...failed(3)], []],
    ['nothing of a delivery that is noted twice', [...failed(1, 2), ['failed', 2]], []],
  ])('tells %s', (_, steps, expected) => {
    expect(toldOf(steps)).toEqual(expected);
  });

  it('tells of the first failure when one is enough', () => {
    expect(toldOf(failed(1, 2), 1)).toEqual(['1: endpoint.failing since 1']);
  });

  it('changes nothing for a delivered one at an endpoint without failures', () => {
    const end = { deliveryId: 'whd_1', status: 'delivered', endedAt: 1 } as const;

    expect(streakAfter({ recoveredAt: null, failureStreak: null }, end, 3)).toBeNull();
  });

  it('has another version after each change, so that of two workers one decides again', () => {
    const ends = (['failed', 'failed', 'delivered', 'failed'] as const).map((status, endedAt) => ({
      deliveryId: `whd_${endedAt}`,
      status,
      endedAt,
    }));
    let streak: FailureStreak | null = null;
    const versions = ends.map((end) => {
      streak = streakAfter({ recoveredAt: null, failureStreak: streak }, end, 3);
      return streak?.version;
    });

    expect(versions).toEqual([1, 2, 3, 4]);
  });

  it('changes nothing for further failures of which the operator was told', () => {
    const told: FailureStreak = {
      version: 3,
      since: 1,
      deliveryIds: ['whd_1', 'whd_2', 'whd_3'],
      toldAt: 3,
      isTold: true,
    };
    const end = { deliveryId: 'whd_4', status: 'failed', endedAt: 4 } as const;

    expect(streakAfter({ recoveredAt: null, failureStreak: told }, end, 3)).toBe(told);
  });
});
