import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { localCredentials } from '#shared/aws/client-settings.ts';
import { apiKeyKey, connectionKey, liveEndpointKey } from '#shared/aws/table/keys.ts';
import { functionFolders } from '#shared/contract/functions.ts';

/**
 * Every test of this folder runs on a table that refuses what the roles of the functions do not allow. These show that
 * it does refuse.
 */
const { info, sessions } = inject('stack');
const clients: DynamoDBClient[] = [];

/** The table as code in a function sees it. */
function tableOf(sessionToken: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    endpoint: info.endpoints.dynamodb,
    region: info.region,
    maxAttempts: 1,
    credentials: { ...localCredentials, sessionToken },
  });
  clients.push(client);
  return DynamoDBDocumentClient.from(client);
}

const put = (Item: Readonly<Record<string, string>>) => new PutCommand({ TableName: info.table_name, Item });
const get = (Key: Readonly<Record<string, string>>) => new GetCommand({ TableName: info.table_name, Key });

afterAll(() => {
  for (const client of clients) client.destroy();
});

describe('code that runs in a function', () => {
  let taken: DynamoDBDocumentClient;

  beforeAll(() => {
    taken = tableOf(sessions['queue/deliver'] ?? '');
  });

  it('every function has a session', () => {
    expect(Object.keys(sessions).toSorted()).toEqual([...functionFolders].toSorted());
  });

  it.each([
    ['an API key', apiKeyKey('stolen')],
    ['a connection', connectionKey('con_stolen')],
    ['an endpoint', liveEndpointKey('cus_stolen', 'whe_stolen')],
  ])('the delivery function cannot put %s', async (_, key) => {
    await expect(taken.send(put({ ...key }))).rejects.toThrow(/not authorized.*dynamodb:PutItem/);
  });

  it('the delivery function may change only the last delivery time of an endpoint', async () => {
    const set = (attribute: string) =>
      new UpdateCommand({
        TableName: info.table_name,
        Key: liveEndpointKey('cus_none', 'whe_none'),
        UpdateExpression: `SET ${attribute} = :value`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':value': 1 },
      });

    await expect(taken.send(set('url'))).rejects.toThrow(/not authorized.*dynamodb:UpdateItem/);
    await expect(taken.send(set('secret'))).rejects.toThrow(/not authorized.*dynamodb:UpdateItem/);
    await expect(taken.send(set('last_delivery_at'))).rejects.toThrow('conditional request failed');
  });

  it('the delivery function reads endpoints, and cannot read an API key', async () => {
    await expect(taken.send(get(liveEndpointKey('cus_none', 'whe_none')))).resolves.toMatchObject({});
    await expect(taken.send(get(apiKeyKey('stolen')))).rejects.toThrow(/not authorized.*dynamodb:GetItem/);
  });

  it('an unknown session is denied everything', async () => {
    const command = get(liveEndpointKey('cus_none', 'whe_none'));

    await expect(tableOf('nobody').send(command)).rejects.toThrow(/not authorized.*dynamodb:GetItem/);
  });
});
