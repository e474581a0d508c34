import { describe, expect, it } from 'vitest';
import { problem } from '#shared/contract/problem.ts';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import { type PlannedEndpoint, planOf as planOfEndpoints } from '#shared/domain/bulk-replay-plan.ts';
import type { CountedReplay } from '#shared/domain/replay-outcomes.ts';
import { progressLine } from '../../../tools/operator/cli/progress-line.ts';
import { allPlanLines, planJson, planLines } from '../../../tools/operator/replays/replay-plan-text.ts';
import { operatorNote, replayRequests, withSharedPace } from '../../../tools/operator/replays/replay-requests.ts';
import { allReplaysLines, faultsText, progressText } from '../../../tools/operator/replays/replay-text.ts';
import { buildBulkReplay, buildEndpoint, hour, startOfTest, webhookId } from '../../support/values/builders.ts';

const request = {
  status: 'failed',
  createdAfter: startOfTest,
  createdBefore: startOfTest + hour,
  rate: 10,
} as const;

const plannedFor = (given: Partial<PlannedEndpoint>): PlannedEndpoint => ({
  endpoint: buildEndpoint(),
  deliveries: 0,
  skipped: { replayedEarlier: 0, notActive: 0 },
  oldest: null,
  newest: null,
  complete: true,
  ...given,
});
const customersOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `cus_${n + 1}`, name: `Customer ${n + 1}`, createdAt: 0 }));
const planOf = (...endpoints: readonly PlannedEndpoint[]) => planOfEndpoints(endpoints, request);
/** Lines with a bar between the columns of a table. */
const columns = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/ {2,}/g, '|'));

const time = '2026-11-20T12:00:00.500Z';
const busy = plannedFor({
  deliveries: 900,
  skipped: { replayedEarlier: 5, notActive: 0 },
  oldest: startOfTest,
  newest: startOfTest,
});
const failed = plannedFor({
  endpoint: buildEndpoint({ id: 'whe_failed', status: 'failed' }),
  skipped: { replayedEarlier: 0, notActive: 7 },
});

describe('the plan of a bulk replay', () => {
  const head = `Deliveries with status failed, created from ${time} until 2026-11-20T13:00:00.500Z`;

  it('says how many go to which endpoints, for how long, and what is skipped', () => {
    const { id, url } = busy.endpoint;

    expect(columns(planLines(planOf(busy, failed), request))).toEqual([
      head,
      expect.stringMatching(/^ENDPOINT\|/),
      `${id}|${url}|active|900|5|${time}|${time}`,
      `whe_failed|${url}|failed|0|7|-|-`,
      'Skipped: 5 deliveries with a replay already',
      'Skipped: 7 deliveries of endpoints that are not active, which receive nothing',
      'To replay: 900 deliveries to 1 endpoint at 10 a second, which takes about 1 min 30 s',
    ]);
  });

  it('has a line for each customer concerned, the most concerned first, when it is for all customers', () => {
    const of = (customerId: string, given: Partial<PlannedEndpoint>) =>
      plannedFor({ ...given, endpoint: buildEndpoint({ customerId }) });
    const plan = planOf(
      of('cus_2', { deliveries: 5, oldest: startOfTest, newest: startOfTest }),
      of('cus_3', { deliveries: 90 }),
      of('cus_3', { deliveries: 10, skipped: failed.skipped }),
    );

    expect(columns(allPlanLines(plan, request, customersOf(3)))).toEqual([
      head,
      'CUSTOMER|NAME|ENDPOINTS|TO REPLAY|SKIPPED|OLDEST|NEWEST',
      'cus_3|Customer 3|2|100|7|-|-',
      `cus_2|Customer 2|1|5|0|${time}|${time}`,
      'Skipped: 7 deliveries of endpoints that are not active, which receive nothing',
      'To replay: 105 deliveries to 3 endpoints at 10 a second, which takes about 11 s',
    ]);
  });

  it.each([
    [51, 'And 1 more customer with 2 deliveries to replay: --json has all'],
    [52, 'And 2 more customers with 4 deliveries to replay: --json has all'],
  ])('shows 50 of %i customers to a person, and counts the others', (count, more) => {
    const customers = customersOf(count);
    const endpoints = customers.map(({ id }) =>
      plannedFor({ deliveries: 2, endpoint: buildEndpoint({ customerId: id }) }),
    );

    const lines = allPlanLines(planOf(...endpoints), request, customers);

    expect(lines.filter((line) => line.startsWith('cus_'))).toHaveLength(50);
    expect(lines).toContain(more);
  });

  it('says when there is nothing to replay', () => {
    expect(planLines(planOf(), request).at(-1)).toBe('Nothing to replay');
  });

  it('is one JSON object for a program', () => {
    expect(planJson(planOf(busy), request)).toMatchObject({
      status: 'failed',
      rate: 10,
      deliveries: 900,
      seconds: 90,
      endpoints: [{ deliveries: 900, skipped: { already_replayed: 5, not_active: 0 } }],
    });
  });
});

const jobWith = (given: Partial<BulkReplay>): CountedReplay => ({
  ...buildBulkReplay(),
  outcomes: { delivered: 2, failed: 1, pending: 0 },
  ...given,
});

describe('the progress of a bulk replay', () => {
  const expected = { deliveries: 900, replayedEarlier: 5, rate: 10 };
  it('counts replays, leaves out what had a replay before, and estimates the rest from the pace', () => {
    const job = jobWith({ replayed: 300, skipped: 5 });

    expect(progressText([job], expected).line).toBe(`${job.id}: replayed 300 of 900 (33 %), about 1 min 0 s left`);
    expect(progressText([jobWith({ replayed: 890, skipped: 15 })], expected).line).toMatch(
      /replayed 890 of 900 \(100 %\), finishing$/,
    );
    expect(progressText([], expected).line).toBe('Starting: replayed 0 of 900 (0 %), about 1 min 30 s left');
  });

  it.each([
    [true, 'is one line that is drawn again on a terminal', '\r\u001b[K0, 9 s left\r\u001b[K0, 8 s left\r\u001b[K10\n'],
    [false, 'is a line for each new count elsewhere', '0, 9 s left\n10\n'],
  ])('on a terminal: %s, it %s', (isTerminal, _what, expected) => {
    let printed = '';
    const line = progressLine((text) => {
      printed += text;
    }, isTerminal);

    line.show({ count: 0, line: '0, 9 s left' });
    line.show({ count: 0, line: '0, 9 s left' });
    line.show({ count: 0, line: '0, 8 s left' });
    line.show({ count: 10, line: '10' });
    line.end();
    line.end();

    expect(printed).toBe(expected);
  });
});

describe('the bulk replays of a plan', () => {
  const other = plannedFor({ endpoint: buildEndpoint({ id: 'whe_other' }), deliveries: 1 });

  it('leave out endpoints without deliveries, and say who asked', () => {
    const requests = replayRequests(planOf(busy, failed), request, { reason: 'outage' });

    expect(requests).toMatchObject([
      {
        webhookId: busy.endpoint.id,
        selection: { createdBefore: request.createdBefore },
        requestedBy: { by: 'operator', note: expect.stringMatching(/outage$/) },
      },
    ]);
  });

  it('share the pace when they run at the same time, and are refused when they cannot', () => {
    const requests = replayRequests(planOf(busy, other), request, {});

    expect(withSharedPace(requests, 11).map(({ rate }) => rate)).toEqual([5, 5]);
    expect(() => withSharedPace(requests, 1)).toThrow(
      '2 endpoints cannot share 1 replays a second: give a --rate of at least 2, or leave out --detach',
    );
  });
});

describe('the end of a run for many endpoints', () => {
  const done = jobWith({ status: 'completed', replayed: 3 });
  const [of] = replayRequests(planOf(busy), request, {});
  const refused = of === undefined ? [] : [{ request: of, problem: problem('replay_in_progress', {}) }];

  it('names the endpoints that were not replayed, and the bulk replays that ended early, but five of many', () => {
    const cancelled = jobWith({ id: 'rpl_2', status: 'cancelled', cancelReason: 'webhook_not_active' });

    expect(faultsText({ jobs: [done], refused: [] })).toBeNull();
    expect(faultsText({ jobs: [done, cancelled], refused })).toBe(
      `Endpoint ${webhookId}: ${problemCodes.replay_in_progress.title}; ` +
        'Bulk replay rpl_2 ended early: its endpoint was deleted. The same command continues with the rest',
    );
    const many = faultsText({ jobs: [], refused: Array.from({ length: 7 }, () => refused).flat() });
    expect(many?.split('; ').slice(5)).toEqual(['and 2 more. The same command continues with the rest']);
  });

  it('shows the sum, and in a table only what was not completed', () => {
    expect(allReplaysLines([done, done])).toEqual(['Replayed 6, with 2 of 2 bulk replays completed']);
    expect(allReplaysLines([done, jobWith({ id: 'rpl_2' })])).toEqual([
      'Replayed 3, with 1 of 2 bulk replays completed',
      expect.stringMatching(/^REPLAY +ENDPOINT/),
      expect.stringMatching(/^rpl_2 /),
    ]);
  });
});

it('operatorNote() is one bounded line with the name and the reason', () => {
  expect(operatorNote('outage\nof \u001b[31m10:00', 'alice')).toBe('alice: outage of [31m10:00');
  expect(operatorNote(undefined, 'alice')).toBe('alice');
  expect(operatorNote('outage', '')).toBe('outage');
  expect(operatorNote('x'.repeat(500), 'alice')).toHaveLength(200);
  expect(operatorNote(undefined, '')).toBeNull();
});
