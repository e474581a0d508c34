import { expect, it } from 'vitest';
import * as attempts from '#shared/aws/table/deliveries/attempts.ts';
import { markDue } from '#shared/aws/table/deliveries/audit-reads.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { deferDue } from '#shared/aws/table/deliveries/waiting.ts';
import * as endpoints from '#shared/aws/table/endpoints/endpoints.ts';
import { unexpected, useMockTable } from '../../support/aws/aws-mocks.ts';
import { acknowledgedAttempt, buildDelivery, buildEndpoint, startOfTest } from '../../support/values/builders.ts';

const { table } = useMockTable();
const delivery = buildDelivery();
const endpoint = buildEndpoint();
const at = startOfTest;
const claim = { fencingToken: 'ours', leaseUntil: at, latestDue: at };
const recorded = {
  key: delivery,
  attempt: 1,
  fencingToken: 'ours',
  entry: acknowledgedAttempt,
  transition: { status: 'delivered', endedAt: at },
} as const;
const rotation = {
  customerId: endpoint.customerId,
  webhookId: endpoint.id,
  secret: 'sealed',
  secretPrefix: 'whsec_',
  at,
  overlapEnd: at,
};

it.each<[string, () => Promise<unknown>]>([
  ['storeDelivery', () => storeDelivery(table, delivery, null)],
  ['claimAttempt', () => attempts.claimAttempt(table, delivery, 1, claim)],
  ['recordAttempt', () => attempts.recordAttempt(table, recorded)],
  ['releaseAttempt', () => attempts.releaseAttempt(table, delivery, 1, 'ours')],
  ['cancelDelivery', () => attempts.cancelDelivery(table, delivery, 'endpoint_deleted', at)],
  ['markDue', () => markDue(table, delivery, at)],
  ['deferDue', () => deferDue(table, { ...delivery, dueAt: at }, at)],
  ['replaceSecret', () => endpoints.replaceSecret(table, rotation)],
  ['noteLastDelivery', () => endpoints.noteLastDelivery(table, endpoint, at)],
])('%s() throws every failure but a refused condition', async (_, write) => {
  await expect(write()).rejects.toBe(unexpected);
});
