import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { fromEndpointItem, toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import {
  activateEndpoint,
  clearSlow,
  listLiveEndpoints,
  markSlow,
  noteLastDelivery,
  readEndpoint,
  readLiveEndpoint,
  replaceSecret,
  rotationInput,
} from '#shared/aws/table/endpoints.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import { buildEndpoint, customerId, startOfTest, webhookId } from '../../support/values/builders.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const endpoint = buildEndpoint();
const pk = `CUS#${customerId}`;
const Key = { pk, sk: `WEBHOOKS#${webhookId}` };
const Item = { ...Key, ...toEndpointItem(endpoint) };

describe('readLiveEndpoint()', () => {
  it('reads with strong consistency, so it sees every write that was answered before', async () => {
    mock.on(GetCommand).resolves({ Item });

    expect(await readLiveEndpoint(table)(customerId, webhookId)).toEqual(endpoint);

    expect(commandsOf(mock)).toEqual([{ GetCommand: { TableName: tableName, Key, ConsistentRead: true } }]);
  });
});

describe('readEndpoint()', () => {
  const live = { GetCommand: { TableName: tableName, Key, ConsistentRead: true } };
  const tombstone = {
    GetCommand: { TableName: tableName, Key: { pk, sk: `DELETED#${webhookId}` }, ConsistentRead: true },
  };

  it('reads a tombstone only when there is no live endpoint', async () => {
    mock.on(GetCommand).resolves({ Item });

    expect(await readEndpoint(table)(customerId, webhookId)).toEqual(endpoint);

    expect(commandsOf(mock)).toEqual([live]);
  });

  it('returns a tombstone as a deleted endpoint without a secret', async () => {
    const { secret: _, ...kept } = toEndpointItem(endpoint);
    mock
      .on(GetCommand)
      .resolvesOnce({})
      .resolvesOnce({ Item: { ...Key, ...kept, status: 'deleted' } });

    expect(await readEndpoint(table)(customerId, webhookId)).toEqual({
      ...endpoint,
      status: 'deleted',
      secret: '',
    });

    expect(commandsOf(mock)).toEqual([live, tombstone]);
  });

  it('returns null when the endpoint never existed', async () => {
    mock.on(GetCommand).resolves({});

    expect(await readEndpoint(table)(customerId, webhookId)).toBeNull();
  });
});

describe('fromEndpointItem()', () => {
  it('reads every member', () => {
    const rotating = buildEndpoint({
      previousSecret: 'sealed-old',
      previousSecretExpiresAt: startOfTest + 1,
      activatedAt: null,
      lastDeliveryAt: null,
      deliveryPartitions: 8,
    });

    expect(fromEndpointItem({ ...Key, ...toEndpointItem(rotating) })).toEqual(rotating);
  });

  it('refuses an item that is not an endpoint', () => {
    expect(() => fromEndpointItem({ ...Item, status: 'sleeping' })).toThrow();
  });
});

describe('listLiveEndpoints()', () => {
  it('reads all live endpoints in one strongly consistent query, newest first', async () => {
    mock.on(QueryCommand).resolves({ Items: [Item] });

    expect(await listLiveEndpoints(table)(customerId)).toEqual([endpoint]);

    expect(commandsOf(mock)).toEqual([
      {
        QueryCommand: {
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :endpoints)',
          ExpressionAttributeValues: { ':pk': pk, ':endpoints': 'WEBHOOKS#' },
          ScanIndexForward: false,
          ConsistentRead: true,
        },
      },
    ]);
  });
});

describe('activateEndpoint()', () => {
  it('activates an endpoint that is live and failed', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await activateEndpoint(table)(customerId, webhookId, startOfTest)).toBe(true);

    expect(commandsOf(mock)).toEqual([
      {
        UpdateCommand: {
          TableName: tableName,
          Key,
          UpdateExpression: 'SET #status = :active, activated_at = :at',
          ConditionExpression: 'attribute_exists(pk) AND #status = :failed',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':active': 'active', ':failed': 'failed', ':at': startOfTest },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]);
  });

  it('returns true when a repeated write finds its own activation, and false when it finds another', async () => {
    const stored = { ...Key, ...toEndpointItem(buildEndpoint({ activatedAt: startOfTest })) };
    mock.on(UpdateCommand).rejects(conditionFailed(stored));

    expect(await activateEndpoint(table)(customerId, webhookId, startOfTest)).toBe(true);
    expect(await activateEndpoint(table)(customerId, webhookId, startOfTest + 1)).toBe(false);
  });

  it('returns false when the endpoint was deleted meanwhile', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    expect(await activateEndpoint(table)(customerId, webhookId, startOfTest)).toBe(false);
  });
});

describe('replaceSecret()', () => {
  const rotation = {
    customerId,
    webhookId,
    secret: 'sealed-next',
    secretPrefix: 'whsec_BBBBBB',
    at: startOfTest,
    overlapEnd: startOfTest + 86_400_000,
  };
  const input = {
    TableName: tableName,
    Key,
    UpdateExpression:
      'SET previous_secret = secret, previous_secret_expires_at = :expires_at, secret = :secret, secret_prefix = :prefix',
    ConditionExpression:
      'attribute_exists(pk) AND #status = :active AND (attribute_not_exists(previous_secret_expires_at) OR previous_secret_expires_at <= :now)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':active': 'active',
      ':now': startOfTest,
      ':expires_at': startOfTest + 86_400_000,
      ':secret': 'sealed-next',
      ':prefix': 'whsec_BBBBBB',
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const rotated = buildEndpoint({
    secret: 'sealed-next',
    secretPrefix: 'whsec_BBBBBB',
    previousSecret: 'sealed-secret',
    previousSecretExpiresAt: startOfTest + 86_400_000,
  });

  it('makes the current secret the previous one, if no overlap is open', async () => {
    mock.on(UpdateCommand).resolves({ Attributes: { ...Key, ...toEndpointItem(rotated) } });

    expect(await replaceSecret(table)(rotation)).toEqual({ rotated: true, endpoint: rotated });

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
    expect(rotationInput(tableName, rotation)).toEqual(input);
  });

  it('returns the stored endpoint when the rotation is refused', async () => {
    const other = buildEndpoint({
      secret: 'sealed-other',
      previousSecret: 'x',
      previousSecretExpiresAt: startOfTest + 9,
    });
    mock.on(UpdateCommand).rejects(conditionFailed({ ...Key, ...toEndpointItem(other) }));

    expect(await replaceSecret(table)(rotation)).toEqual({ rotated: false, endpoint: other });
  });

  it('succeeds when the refusal shows the secret of this rotation: the first response was lost', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed({ ...Key, ...toEndpointItem(rotated) }));

    expect(await replaceSecret(table)(rotation)).toEqual({ rotated: true, endpoint: rotated });
  });

  it('returns no endpoint when there is no live endpoint', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    expect(await replaceSecret(table)(rotation)).toEqual({ rotated: false, endpoint: null });
  });

  it('throws every other failure', async () => {
    await expect(replaceSecret(table)(rotation)).rejects.toBe(unexpected);
  });
});

describe('noteLastDelivery()', () => {
  const input = {
    TableName: tableName,
    Key,
    UpdateExpression: 'SET last_delivery_at = :at',
    ConditionExpression: 'attribute_exists(pk) AND NOT (last_delivery_at >= :at)',
    ExpressionAttributeValues: { ':at': startOfTest + 1000 },
  };

  it('moves the time forward', async () => {
    mock.on(UpdateCommand).resolves({});

    await noteLastDelivery(table)(endpoint, startOfTest + 1000);

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
  });

  it('changes nothing after a later note of another worker, or after a deletion', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    await expect(noteLastDelivery(table)(endpoint, startOfTest + 1000)).resolves.toBeUndefined();
  });
});

describe('markSlow()', () => {
  it('writes to a live endpoint without a mark, and nothing else', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await markSlow(table)(endpoint, startOfTest)).toBe(true);

    expect(commandsOf(mock)).toEqual([
      {
        UpdateCommand: {
          TableName: tableName,
          Key,
          UpdateExpression: 'SET slow_since = :since',
          ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(slow_since)',
          ExpressionAttributeValues: { ':since': startOfTest },
        },
      },
    ]);
  });

  it('accepts that another worker was first', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    expect(await markSlow(table)(endpoint, startOfTest)).toBe(false);
  });
});

describe('clearSlow()', () => {
  it('removes the mark that was read', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await clearSlow(table)({ ...endpoint, slowSince: startOfTest })).toBe(true);

    expect(commandsOf(mock)).toMatchObject([
      {
        UpdateCommand: {
          Key,
          UpdateExpression: 'REMOVE slow_since',
          ConditionExpression: 'attribute_exists(pk) AND slow_since = :since',
          ExpressionAttributeValues: { ':since': startOfTest },
        },
      },
    ]);
  });
});

describe('an endpoint item', () => {
  it('of an earlier release has no mark, and a faulty mark counts as none', () => {
    expect(fromEndpointItem({ ...Item, slow_since: startOfTest })).toMatchObject({ slowSince: startOfTest });
    expect(fromEndpointItem(Item).slowSince).toBeNull();
    expect(fromEndpointItem({ ...Item, slow_since: 'yesterday' }).slowSince).toBeNull();
    expect(Item).not.toHaveProperty('slow_since');
  });
});
