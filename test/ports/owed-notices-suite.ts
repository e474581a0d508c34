import { beforeEach, describe, expect, it } from 'vitest';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { buildDelivery, buildEndpoint, buildOwedNotice, startOfTest } from '../support/values/builders.ts';

/** The same notice, with its members in the opposite order. */
const reordered = ({ type, ...rest }: OwedNotice): OwedNotice => {
  const { at, deliveryId, failingSince, outcome, responseStatus, error } = rest;
  return { error, responseStatus, outcome, failingSince, deliveryId, at, type };
};

/** What the table owes a worker that removes the notices that it sent. */
export function owedNoticesSuite(connect: () => TablePorts): void {
  let ports: TablePorts;
  beforeEach(() => {
    ports = connect();
  });

  describe('owed notices', () => {
    it.each<[string, (notice: OwedNotice) => OwedNotice, (notice: OwedNotice) => OwedNotice]>([
      ['stored', reordered, (notice) => notice],
      ['settled', (notice) => notice, reordered],
    ])('a notice is removed, although its members had another order when it was %s', async (_when, stored, settled) => {
      const endpoint = buildEndpoint();
      const notice = buildOwedNotice();
      await ports.reserveEndpoint(endpoint, buildDelivery());
      const { failingSince, recoveredAt, failureStreak } = endpoint;
      const healthy = { failingSince, recoveredAt, failureStreak };
      const failing = { ...healthy, failingSince: startOfTest };
      await ports.storeHealth(endpoint, healthy, failing, stored(notice));
      const read = async () => (await ports.readLiveEndpoint(endpoint.customerId, endpoint.id))?.owedNotices;
      expect(await read()).toEqual([notice]);

      await ports.settleNotices(endpoint, [settled(notice)]);

      expect(await read()).toEqual([]);
    });
  });
}
