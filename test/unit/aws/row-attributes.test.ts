import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import { fromEndpointItem, toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { commandsOf, useMockTable } from '../../support/aws/aws-mocks.ts';
import { buildEndpoint, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, mock } = useMockTable();
const endpoint = buildEndpoint();

it.each([
  [startOfTest, startOfTest],
  [undefined, null],
  ['yesterday', null],
])('an endpoint whose mark of slowness is stored as %j has %j', (slow_since, slowSince) => {
  const item = { ...liveEndpointKey(customerId, webhookId), ...toEndpointItem(endpoint), slow_since };

  expect(fromEndpointItem(item)).toEqual({ ...endpoint, slowSince });
});

it('an endpoint whose health or notices are faulty is read without them', () => {
  const item = { ...liveEndpointKey(customerId, webhookId), ...toEndpointItem(endpoint) };

  const faulty = { failing_since: 'yesterday', recovered_at: true, failure_streak: { version: 'first' } };
  for (const owed_notices of ['text', new Set(['text', '{"type":"endpoint.asleep"}'])])
    expect(fromEndpointItem({ ...item, ...faulty, owed_notices })).toEqual(endpoint);
});

it('attempt times are read with the attributes that the role of the delivery function may read', async () => {
  mock.on(QueryCommand).resolves({ Items: [] });

  await readAttemptTimes(table, endpoint, 0, null, 8);

  const named = { ProjectionExpression: 'sk, last_at', Select: 'SPECIFIC_ATTRIBUTES' };
  expect(commandsOf(mock)).toMatchObject([{ QueryCommand: named }]);
});

it('a delivery with a faulty time counts as not attempted, and does not hide the times of others', async () => {
  const Items = [
    { sk: 'whd_2', last_at: 'yesterday' },
    { sk: 'whd_1', last_at: startOfTest },
  ];
  mock.on(QueryCommand).resolves({ Items });

  expect(await readAttemptTimes(table, endpoint, 0, null, 8)).toEqual([
    { id: 'whd_2', lastAttemptAt: null },
    { id: 'whd_1', lastAttemptAt: startOfTest },
  ]);
});
