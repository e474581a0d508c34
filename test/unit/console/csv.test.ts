import { expect, it } from 'vitest';
import { endpointDeliveryRecord } from '#shared/contract/records/delivery.ts';
import { csvOf } from '../../../console/views/deliveries/csv.ts';
import { deliveryOf } from './records.ts';

const listed = { ...deliveryOf(), webhook_id: 'whe_1' };

it('a table of deliveries has every member of the API, and a line for each delivery', () => {
  const [names = '', line = '', ...rest] = csvOf([listed]).split('\r\n');

  expect(names.split(',').toSorted()).toEqual(Object.keys(endpointDeliveryRecord.shape).toSorted());
  expect(line).toMatch(/^whd_1,whe_1,evt_1,run\.completed,,pending,0,,,,run_1,/);
  expect(rest).toEqual(['']);
});

it.each([
  ['commas, and "quotes"', '"commas, and ""quotes"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['-1+1', "'-1+1"],
  ['+1+1', "'+1+1"],
  ['\t=1+1', "'\t=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
])('%j stays the text of one cell', (error, cell) => {
  expect(csvOf([{ ...listed, error }])).toContain(`,${cell},run_1,`);
});
