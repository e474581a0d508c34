import { TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { deleteEndpoint, reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { commandsOf, transactionCanceled, unexpected, useMockTable } from '../../support/aws/aws-mocks.ts';
import { buildDelivery, buildEndpoint, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table: mocked, mock } = useMockTable();
let waits: number[] = [];
beforeEach(() => {
  waits = [];
});

const table = { ...mocked, pause: async (most: number) => void waits.push(most) };
const endpoint = buildEndpoint();
const conflict = () => transactionCanceled('TransactionConflict', 'None', 'None');
const inProgress = new TransactionInProgressException({ $metadata: {}, message: 'in progress' });

describe('reserveEndpoint()', () => {
  const reserve = () => reserveEndpoint(table, endpoint, buildDelivery());

  it('repeats the same write after a conflict and a throttle of either billing mode, with growing waits', async () => {
    mock
      .on(TransactWriteCommand)
      .rejectsOnce(conflict())
      .rejectsOnce(conflict())
      .rejectsOnce(transactionCanceled('ThrottlingError', 'None', 'None'))
      .rejectsOnce(transactionCanceled('None', 'ProvisionedThroughputExceeded', 'None'))
      .resolvesOnce({});

    expect(await reserve()).toBe('reserved');

    const [first] = commandsOf(mock);
    expect(first).toMatchObject({ TransactWriteCommand: { ClientRequestToken: webhookId } });
    expect(commandsOf(mock)).toEqual(Array.from({ length: 5 }, () => first));
    expect(waits).toEqual([20, 40, 80, 160]);
  });

  it('repeats a write whose first try has no answer and is still under way', async () => {
    mock.on(TransactWriteCommand).rejectsOnce(inProgress).resolvesOnce({});

    expect(await reserve()).toBe('reserved');

    const [first, second] = commandsOf(mock);
    expect(second).toEqual(first);
    expect(waits).toEqual([20]);
  });

  it('gives up after twelve conflicts, with waits that stop growing', async () => {
    mock.on(TransactWriteCommand).rejects(conflict());

    await expect(reserve()).rejects.toThrow('refused');

    expect(commandsOf(mock)).toHaveLength(12);
    expect(waits).toEqual([20, 40, 80, 160, 320, 640, 640, 640, 640, 640, 640]);
  });

  it.each([
    { name: 'another failure', error: unexpected },
    { name: 'a transaction that ended for another reason', error: transactionCanceled('ValidationError') },
  ])('throws $name at once', async ({ error }) => {
    mock.on(TransactWriteCommand).rejects(error);

    await expect(reserve().catch((thrown: Error) => thrown.cause ?? thrown)).resolves.toBe(error);

    expect(waits).toEqual([]);
  });
});

describe('deleteEndpoint()', () => {
  const remove = () => deleteEndpoint(table, customerId, webhookId, startOfTest + 500);
  const live = { Item: { ...liveEndpointKey(customerId, webhookId), ...toEndpointItem(endpoint) } };
  beforeEach(() => {
    mock.on(TransactWriteCommand).rejects(transactionCanceled('ConditionalCheckFailed', 'None', 'None'));
  });

  it('repeats a write whose first try has no answer and is still under way: another one would find no endpoint', async () => {
    mock.on(GetCommand).resolves(live);
    mock.on(TransactWriteCommand).rejectsOnce(inProgress).resolvesOnce({});

    expect(await remove()).toBe(true);

    const [, first, second] = commandsOf(mock);
    expect(first).toMatchObject({ TransactWriteCommand: { ClientRequestToken: expect.stringMatching(/^.{1,36}$/) } });
    expect(second).toEqual(first);
  });

  it('gives another deletion another token', async () => {
    mock.on(GetCommand).resolvesOnce(live).resolvesOnce({}).resolvesOnce(live).resolves({});

    await remove();
    await deleteEndpoint(table, customerId, webhookId, startOfTest + 501);

    const tokens = mock.commandCalls(TransactWriteCommand).map(({ args: [{ input }] }) => input.ClientRequestToken);
    expect(new Set(tokens).size).toBe(2);
  });

  it('gives up on an endpoint that changes all the time', async () => {
    mock.on(GetCommand).resolves(live);

    await expect(remove()).rejects.toThrow('it changed during each of 12 tries');
  });
});
