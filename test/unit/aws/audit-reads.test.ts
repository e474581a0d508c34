import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  listCustomerIds,
  listEndpointsSince,
  readAuditedDeliveries,
  readAuditedDelivery,
} from '#shared/aws/table/deliveries/audit-reads.ts';
import { useMockTable } from '../../support/aws/aws-mocks.ts';
import { buildDelivery, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, mock } = useMockTable();

const span = { from: startOfTest, to: startOfTest };
const LastEvaluatedKey = { pk: 'P', sk: 'S' };
const endpointRow = (sk: string, delivery_partitions?: number) => ({ sk, delivery_partitions });
const list = () => listEndpointsSince(table, customerId, startOfTest);

describe('the reads of the audit', () => {
  it.each([
    ['customers', () => listCustomerIds(table)],
    ['deliveries', () => readAuditedDeliveries(table, { customerId, id: webhookId, deliveryPartitions: 3 }, span)],
  ])('request no page of %s before the caller needs it', async (_, read) => {
    mock.on(QueryCommand).resolves({ Items: [], LastEvaluatedKey });

    for await (const _page of read()) break;

    expect(mock.commandCalls(QueryCommand)).toHaveLength(1);
  });

  it('read every page of endpoints, also after an empty one', async () => {
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [endpointRow('WEBHOOKS#whe_1', 1)], LastEvaluatedKey })
      .resolvesOnce({ Items: [], LastEvaluatedKey })
      .resolvesOnce({ Items: [endpointRow('WEBHOOKS#whe_2', 1)] })
      .resolves({ Items: [] });

    expect((await list()).map(({ id }) => id)).toEqual(['whe_1', 'whe_2']);
    expect(mock.commandCalls(QueryCommand)).toHaveLength(5);
  });

  it('return an endpoint that is deleted between two of them once', async () => {
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [endpointRow('WEBHOOKS#whe_1', 2)] })
      .resolvesOnce({ Items: [endpointRow(`DELETED_AT#0${startOfTest + 1}#whe_1`, 4)] })
      .resolves({ Items: [] });

    expect(await list()).toEqual([{ customerId, id: 'whe_1', deliveryPartitions: 4 }]);
  });

  it('assume 32 partitions for an endpoint whose row does not state its partitions', async () => {
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [endpointRow('WEBHOOKS#whe_broken')] })
      .resolves({ Items: [] });

    expect(await list()).toEqual([{ customerId, id: 'whe_broken', deliveryPartitions: 32 }]);
  });

  it('leave out the bodies of deliveries', async () => {
    mock.on(QueryCommand).resolves({ Items: [] });
    mock.on(GetCommand).resolves({});

    for await (const _page of readAuditedDeliveries(table, { customerId, id: webhookId, deliveryPartitions: 1 }, span));
    await readAuditedDelivery(table, buildDelivery());

    const asked = mock.calls().map(({ args: [{ input }] }) => Object(input).ProjectionExpression);
    expect(asked).toEqual(['sk, #status, lease_until, waiting_sk', 'sk, #status, lease_until, waiting_sk']);
  });
});
