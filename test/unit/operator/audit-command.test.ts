import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeliveryKey } from '#shared/domain/delivery.ts';
import type { AuditedDelivery } from '#shared/domain/progress.ts';
import type { Audit, AuditRequest } from '#shared/operations/delivery/audit-deliveries.ts';
import { addAuditCommand } from '../../../tools/operator/deliveries/audit-command.ts';
import { runCommand } from '../../support/stack/operate.ts';
import { customerId, hour, minute, startOfTest, webhookId } from '../../support/values/builders.ts';

// test/ports and test/unit/operations have what an audit finds; test/e2e/operator-pages.test.ts runs it.
const found = vi.fn<(request: AuditRequest) => Promise<Audit>>();

const keyOf = (id: string): DeliveryKey => ({ customerId, webhookId, id });
const idsOf = (id: string) => ({ customer_id: customerId, webhook_id: webhookId, delivery_id: id });
const audited = (id: string, age: number): AuditedDelivery => ({
  key: keyOf(id),
  createdAt: startOfTest - age,
  status: 'pending',
  leaseUntil: null,
  dueAt: null,
});
const nothing = { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 0 };

const stalled = { key: { customerId, webhookId, id: 'rpl_1' }, lastStepAt: startOfTest - 7 * hour };

const someStranded: Partial<Audit> = {
  deliveries: { pending: 3, delivered: 2, failed: 1 },
  pending: { ...nothing, waiting: 1, stranded: 2 },
  oldestPending: audited('whd_1', 20 * hour),
  oldestStranded: audited('whd_2', 2 * hour + 5 * minute),
  stranded: ['whd_2', 'whd_3'].map(keyOf),
};

/** What an audit finds in a stage without deliveries, but for what is given. */
function find(given: Partial<Audit> = {}): void {
  found.mockImplementation(async ({ from, to }) => ({
    from,
    to,
    complete: true,
    unfinished: [],
    deliveries: { pending: 0, delivered: 0, failed: 0 },
    pending: nothing,
    oldestPending: null,
    oldestStranded: null,
    stranded: [],
    requeued: 0,
    stalledReplays: [],
    ...given,
  }));
}

const audit = (...args: readonly string[]) =>
  runCommand((print) => {
    const command = new Command('audit').configureOutput({ writeOut: print });
    addAuditCommand(command, async () => found);
    return command;
  }, args);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startOfTest });
  found.mockReset();
});
afterEach(() => vi.useRealTimers());

describe('npm run admin -- audit', () => {
  it('prints the number of deliveries in each state, with its meaning, and exits with 1 when some are stranded', async () => {
    find(someStranded);

    const { code, output } = await audit('--hours', '3');

    expect(output.split('\n')).toEqual([
      'Deliveries created since 2026-11-20T09:00:00.500Z',
      'STATE      DELIVERIES  MEANING',
      'delivered  2           the endpoint acknowledged it',
      'failed     1           no attempt is left, or the endpoint was deleted',
      'pending    3           not finished; of these:',
      'in_flight  0           an attempt is under way',
      'waiting    1           its timer or the sweep will continue it',
      'overdue    0           the sweep should have continued it',
      'queued     0           a message on a queue will continue it',
      'stranded   2           nothing will continue it',
      `Oldest pending: whd_1 of ${webhookId}, 20 h 0 min old`,
      `Oldest stranded: whd_2 of ${webhookId}, 2 h 5 min old`,
      'Hand them to the sweep: npm run admin -- audit --hours 3 --wake',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('prints the same as JSON, with the ids of stranded deliveries and stalled bulk replays', async () => {
    find({ ...someStranded, stalledReplays: [stalled] });

    const { code, output } = await audit('--json');

    expect([code, JSON.parse(output)]).toEqual([
      1,
      {
        from: '2026-11-19T12:00:00.500Z',
        to: '2026-11-20T12:00:00.500Z',
        complete: true,
        deliveries: { pending: 3, delivered: 2, failed: 1 },
        pending: { in_flight: 0, waiting: 1, overdue: 0, queued: 0, stranded: 2 },
        oldest_pending: { ...idsOf('whd_1'), created_at: '2026-11-19T16:00:00.500Z', age_seconds: 72_000 },
        oldest_stranded: { ...idsOf('whd_2'), created_at: '2026-11-20T09:55:00.500Z', age_seconds: 7_500 },
        stranded: ['whd_2', 'whd_3'].map(idsOf),
        requeued: 0,
        stalled_replays: [
          {
            customer_id: customerId,
            webhook_id: webhookId,
            replay_id: 'rpl_1',
            last_step_at: '2026-11-20T05:00:00.500Z',
          },
        ],
      },
    ]);
  });

  it('names a stalled bulk replay with the commands that end it or let it go on, and exits with 1', async () => {
    find({ stalledReplays: [stalled] });

    const { code, output } = await audit();

    expect(output.split('\n').slice(-4)).toEqual([
      'Every pending delivery will continue',
      `Stalled: bulk replay rpl_1 of ${webhookId}, without a step since 2026-11-20T05:00:00.500Z. ` +
        `Cancel it with: npm run admin -- replay cancel rpl_1 --customer ${customerId}`,
      'Or let those go on whose messages are dead letters: npm run admin -- dead-letters redrive --queue replay',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('exits with 0 when every pending delivery will continue, and leaves the environment as it is', async () => {
    find();
    const before = { ...process.env };

    const { code, output } = await audit();

    expect(output).toContain('Oldest stranded: none\n');
    expect(output).toMatch(/\nEvery pending delivery will continue\n$/);
    expect([code, { ...process.env }]).toEqual([0, before]);
  });

  it('hands stranded deliveries to the sweep with --wake, and still exits with 1', async () => {
    find({ ...someStranded, requeued: 2 });

    const { code, output } = await audit('--wake');

    expect(found).toHaveBeenCalledWith(expect.objectContaining({ requeue: true }), expect.any(Function));
    expect(output).toMatch(/\nHanded 2 to the sweep, which runs every five minutes\n$/);
    expect(code).toBe(1);
  });

  it.each([
    ['1.5', startOfTest - 1.5 * hour],
    ['48', startOfTest - 48 * hour],
    ['1e9', 0],
  ])('looks as far back as asked (%s hours), up to this moment', async (hours, from) => {
    find();

    await audit('--hours', hours);

    expect(found.mock.calls.map(([request]) => request)).toEqual([{ from, to: startOfTest, requeue: false }]);
  });

  it.each([
    ['8 s', 8_000],
    ['3 min 10 s', 3 * minute + 10_000],
    ['1 h 0 min', hour],
  ])('prints an age as %s', async (text, age) => {
    find({ oldestPending: audited('whd_1', age) });

    expect((await audit()).output).toContain(`, ${text} old\n`);
  });

  it.each(['0', '-1', 'many', ''])('refuses --hours %j', async (hours) => {
    const { code, output } = await audit('--hours', hours);

    expect([code, output]).toEqual([
      2,
      expect.stringContaining(`argument '${hours}' is invalid. Give a number of hours above 0`),
    ]);
    expect(found).not.toHaveBeenCalled();
  });
});
