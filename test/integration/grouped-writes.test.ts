import { expect, it } from 'vitest';
import { losingTable } from '../support/aws/losing-table.ts';
import { type TestTable, useTable } from '../support/aws/table.ts';
import { groupedTablePorts } from '../support/table/table-ports.ts';
import { acknowledgedAttempt, buildDelivery, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();

const deliveries = [1, 2, 3].map((number) => buildDelivery({}, number));
const leaseUntil = startOfTest + 30_000;
const claim = { fencingToken: 'ours', leaseUntil, latestDue: startOfTest };

/** Ports over a connection that loses the first answer to a group of writes. */
function losing(table: TestTable) {
  const { table: lossy, lost } = losingTable(table, 'BatchExecuteStatement');
  return { ...groupedTablePorts(lossy), lost };
}

it('deliveries, claims and outcomes whose answer was lost are stored once, and are ours', async () => {
  const storing = losing(current());
  expect(await Promise.all(deliveries.map((each) => storing.storeDelivery(each, null)))).toEqual(deliveries);

  const claiming = losing(current());
  const claims = await Promise.all(deliveries.map((each) => claiming.claimAttempt(each, 1, claim)));
  expect(claims.map(({ claimed, delivery }) => [claimed, delivery?.attempts])).toEqual(deliveries.map(() => [true, 1]));

  const recording = losing(current());
  const recorded = deliveries.map((key) =>
    recording.recordAttempt({
      key,
      attempt: 1,
      fencingToken: 'ours',
      entry: acknowledgedAttempt,
      transition: { status: 'delivered', endedAt: startOfTest },
    }),
  );
  expect(await Promise.all(recorded)).toEqual([true, true, true]);

  expect([storing, claiming, recording].map(({ lost }) => lost())).toEqual([1, 1, 1]);
  const stored = await Promise.all(deliveries.map((key) => groupedTablePorts(current()).readDelivery(key)));
  expect(stored.map((delivery) => [delivery?.attempts, delivery?.log])).toEqual(
    deliveries.map(() => [1, [acknowledgedAttempt]]),
  );
});

it('a claim that is refused in a group leaves the others theirs', async () => {
  const { client } = current();
  let requests = 0;
  const executeBatch: typeof client.executeBatch = (input) => {
    requests += 1;
    return client.executeBatch(input);
  };
  const ports = groupedTablePorts({ ...current(), client: { ...client, executeBatch } });
  await Promise.all(deliveries.map((each) => ports.storeDelivery(each, null)));
  const [first, second] = deliveries;
  if (first === undefined || second === undefined) throw new Error('expected deliveries');
  await ports.claimAttempt(second, 1, { ...claim, fencingToken: 'theirs' });
  requests = 0;

  const claims = await Promise.all(deliveries.map((each) => ports.claimAttempt(each, 1, claim)));

  expect(claims.map(({ claimed }) => claimed)).toEqual([true, false, true]);
  expect(claims[1]?.delivery?.claim?.fencingToken).toBe('theirs');
  expect(requests).toBe(1);
});
