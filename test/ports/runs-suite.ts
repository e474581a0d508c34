import { beforeEach, expect, it } from 'vitest';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { buildDelivery, buildEndpoint, customerId, startOfTest } from '../support/values/builders.ts';
import { buildOpenRun, buildReport, buildSettledRun, isoTime } from '../support/values/stored-results.ts';

const [settled, open] = [buildSettledRun(), buildOpenRun()];
const fanOut: FanOut = {
  eventId: 'evt_1',
  acceptedAt: startOfTest,
  deliveries: [{ webhookId: 'whe_1', deliveryId: 'whd_1' }],
};
const otherFanOut: FanOut = { eventId: 'evt_2', acceptedAt: startOfTest + 1, deliveries: [] };

/** What a store of results owes the intake: whatever repeats finds what was decided the first time. */
export function runsSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  beforeEach(() => {
    ports = connect();
  });

  it('isCustomerKnown() knows a customer from the moment it was made, also one that was asked for before', async () => {
    expect(await ports.isCustomerKnown('cus_new')).toBe(false);
    await ports.listLiveEndpoints('cus_new');
    expect(await ports.isCustomerKnown('cus_new')).toBe(false);

    await ports.addCustomer('cus_new');

    expect(await ports.isCustomerKnown('cus_new')).toBe(true);
    expect(await ports.isCustomerKnown('cus_other')).toBe(false);
  });

  it('isCustomerKnown() does not know a customer by what is stored under its id', async () => {
    const endpoint = buildEndpoint({ customerId: 'cus_unmade' });
    await ports.reserveEndpoint(endpoint, buildDelivery({ customerId: 'cus_unmade' }));
    await ports.listEndpointsSince('cus_unmade', startOfTest);
    await ports.storeSettledRun('cus_unmade', settled);

    expect(await ports.isCustomerKnown('cus_unmade')).toBe(false);
  });

  it('storeSettledRunWithFanOut() decides the fan-out of a Run once', async () => {
    const first = await ports.storeSettledRunWithFanOut(customerId, settled, fanOut);
    const later = { ...settled, status: 'failed', charge_usd: 9 } as const;
    const again = await ports.storeSettledRunWithFanOut(customerId, later, otherFanOut);

    expect(first).toEqual({ run: settled, fanOut });
    expect(again).toEqual(first);
  });

  it('storeSettledRunWithFanOut() decides alike for all who ask at once', async () => {
    const asked = [fanOut, otherFanOut, { ...otherFanOut, eventId: 'evt_3' }];

    const answers = await Promise.all(
      asked.map((planned) => ports.storeSettledRunWithFanOut(customerId, settled, planned)),
    );

    expect(new Set(answers.map((answer) => answer.fanOut.eventId)).size).toBe(1);
  });

  it('storeSettledRunWithFanOut() keeps a Run that was settled without an event, and gives it its event', async () => {
    await ports.storeSettledRun(customerId, settled);

    const told = await ports.storeSettledRunWithFanOut(customerId, { ...settled, charge_usd: 9 }, fanOut);

    expect(told).toEqual({ run: settled, fanOut });
  });

  it('storeSettledRunWithFanOut() keeps customers apart', async () => {
    await ports.storeSettledRunWithFanOut(customerId, settled, fanOut);

    const other = await ports.storeSettledRunWithFanOut('cus_other', settled, otherFanOut);

    expect(other.fanOut).toEqual(otherFanOut);
  });

  it('storeSettledRun() settles once, whatever else is said before or after', async () => {
    await ports.storeOpenRun(customerId, open);

    expect(await ports.storeSettledRun(customerId, settled)).toEqual(settled);
    await ports.storeOpenRun(customerId, open);
    expect(await ports.storeSettledRun(customerId, { ...settled, charge_usd: 9 })).toEqual(settled);
  });

  const report = buildReport();
  const run = {
    id: 'run_1',
    kind: 'tracker_cycle',
    status: 'completed',
    chargeUsd: 0.1,
    trackerId: 'trk_1',
  };
  const told = { trackerId: 'trk_1', report, run };
  const first = { trackerId: 'trk_1', run, fanOut };

  it('storeChangeReport() decides once who is told', async () => {
    expect(await ports.storeChangeReport(customerId, told, fanOut)).toEqual(first);
    expect(await ports.storeChangeReport(customerId, told, otherFanOut)).toEqual(first);
  });

  it.each([
    ['at another time', { report: { ...report, created_at: isoTime(1) } }],
    ['of another Tracker', { trackerId: 'trk_2' }],
    ['of another Run', { report: { ...report, run_id: 'run_2' }, run: { ...run, id: 'run_2', chargeUsd: 9 } }],
    ['with other members', { report: { ...report, added: ['v1'] } }],
  ])('storeChangeReport() is one report by its id, also when a message repeats it %s', async (_, other) => {
    await ports.storeChangeReport(customerId, told, fanOut);

    expect(await ports.storeChangeReport(customerId, { ...told, ...other }, otherFanOut)).toEqual(first);
  });

  it('storeChangeReport() decides alike for all who ask at once, whatever they say', async () => {
    const asked = [0, 1, 2, 3].map((number) => ({
      told: {
        ...told,
        trackerId: `trk_${number % 2}`,
        report: { ...report, created_at: isoTime(number) },
      },
      fanOut: { ...fanOut, eventId: `evt_${number}` },
    }));

    const answers = await Promise.all(asked.map((one) => ports.storeChangeReport(customerId, one.told, one.fanOut)));

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('storeChangeReport() keeps customers apart', async () => {
    await ports.storeChangeReport(customerId, told, fanOut);

    expect(await ports.storeChangeReport('cus_other', told, otherFanOut)).toEqual({
      ...first,
      fanOut: otherFanOut,
    });
  });
}
