import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { isCustomerKnown, rememberCustomers } from '#shared/aws/table/credentials/customers.ts';
import { commandsOf, tableName, useMockTable } from '../../support/aws/aws-mocks.ts';
import { startOfTest } from '../../support/values/builders.ts';

const { table, mock } = useMockTable();

describe('isCustomerKnown()', () => {
  const Key = (id: string) => ({ pk: `CUS#${id}`, sk: 'CUSTOMER' });
  const read = (id: string, ConsistentRead: boolean) => ({
    GetCommand: { TableName: tableName, Key: Key(id), ConsistentRead, ProjectionExpression: 'pk' },
  });

  let time = startOfTest;
  const newCache = () => rememberCustomers({ now: () => time, monotonic: () => 0 });

  it('reads an existing customer once, weakly, and again at the time to live after the read began: a deleted one is then unknown', async () => {
    mock
      .on(GetCommand)
      .callsFakeOnce(() => {
        time += 10_000;
        return { Item: { pk: 'CUS#cus_1' } };
      })
      .resolves({});
    const cache = newCache();
    const isKnown = (id: string) => isCustomerKnown(table, cache, id);
    const known = [await isKnown('cus_1')];

    for (const passed of [49_999, 1]) {
      time += passed;
      known.push(await isKnown('cus_1'));
    }

    expect(known).toEqual([true, true, false]);
    expect(commandsOf(mock)).toEqual([read('cus_1', false), read('cus_1', false), read('cus_1', true)]);
  });

  it('reports a customer as missing only after a strong read, and reads again the next time', async () => {
    mock.on(GetCommand).resolves({});
    mock.on(GetCommand, { Key: Key('cus_late'), ConsistentRead: true }).resolves({ Item: { pk: 'CUS#cus_late' } });
    const cache = newCache();
    const isKnown = (id: string) => isCustomerKnown(table, cache, id);

    expect(await isKnown('cus_late')).toBe(true);
    expect([await isKnown('cus_no'), await isKnown('cus_no')]).toEqual([false, false]);

    const [no, strongly] = [read('cus_no', false), read('cus_no', true)];
    const late = [read('cus_late', false), read('cus_late', true)];
    expect(commandsOf(mock)).toEqual([...late, no, strongly, no, strongly]);
  });
});
