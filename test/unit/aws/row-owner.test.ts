import { describe, expect, it } from 'vitest';
import { owners, rowOf } from '#shared/aws/table/row-owner.ts';
import { partitions } from '#shared/contract/table-schema.ts';

const row = (pk: string, more: object = {}) => ({ pk, sk: 'SK', ...more });

describe('rowOf()', () => {
  it('knows how each kind of partition names its customer', () => {
    expect(Object.keys(owners).toSorted()).toEqual(Object.keys(partitions).toSorted());
  });

  it.each([
    row('CUS#cus_1'),
    row('DLV#cus_1#whk_1#0'),
    row('RUN#cus_1#run_1'),
    row('CUSTOMERS', { sk: 'cus_1' }),
    row('KEY#abc', { customer_id: 'cus_1' }),
    row('CON#con_1', { organization: 'cus_1' }),
    row('LATER#cus_1#kind'),
  ])('finds $pk $sk to be of the customer', (found) => {
    expect(rowOf('cus_1', found)).toMatchObject(found);
  });

  it.each([
    row('CUS#cus_11'),
    row('CUS#cus_'),
    row('DLV#cus_2#cus_1#0'),
    row('RUN#cus_11#run_1'),
    row('CUSTOMERS', { sk: 'cus_11' }),
    row('KEY#cus_1', { customer_id: 'cus_2' }),
    row('CON#cus_1', { organization: 'cus_2' }),
    row('CON#con_1'),
    row('RATE#cus_1'),
    row('RUN#cus_2#run_1', { customer_id: 'cus_1', organization: 'cus_1' }),
    row('CURSOR_SECRET'),
  ])('finds $pk $sk not to be of the customer', (other) => {
    expect(rowOf('cus_1', other)).toBeNull();
  });
});
