import { BatchWriteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  isCreatorKnown,
  putVideoInput,
  storeCreatorVideos,
  storeRunItems,
} from '#shared/aws/table/videos.ts';
import { digest } from '#shared/domain/derived-id.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import { customerId } from '../../support/values/builders.ts';
import { buildVideo, isoTime } from '../../support/values/stored-results.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const backoff = { wait: async () => {}, random: () => 0 };
const video = buildVideo();

describe('storeRunItems()', () => {
  const pk = `RUN#${customerId}#run_1`;
  const version = Buffer.from(digest(JSON.stringify(video))).toString('base64');
  const choose = {
    PutCommand: {
      TableName: tableName,
      Item: { pk, sk: 'VERSION#v1#tiktok', version },
      ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
      ExpressionAttributeValues: { ':version': version },
    },
  };
  const put = {
    BatchWriteCommand: {
      RequestItems: {
        [tableName]: [
          { PutRequest: { Item: { pk, sk: `ITEM#${isoTime()}#v1#tiktok`, video: JSON.stringify(video) } } },
        ],
      },
    },
  };

  it('stores a video under its time after the Run has stored its version', async () => {
    mock.on(PutCommand).resolves({});
    mock.on(BatchWriteCommand).resolves({});

    await storeRunItems(table, backoff)(customerId, 'run_1', [video]);

    expect(commandsOf(mock)).toEqual([choose, put]);
  });

  it('does not store a video when the Run has another version of it', async () => {
    mock.on(PutCommand).rejects(conditionFailed());

    await storeRunItems(table, backoff)(customerId, 'run_1', [video]);

    expect(commandsOf(mock)).toEqual([choose]);
  });

  it('stores the first of two versions in one message', async () => {
    mock.on(PutCommand).resolves({});
    mock.on(BatchWriteCommand).resolves({});

    await storeRunItems(table, backoff)(customerId, 'run_1', [video, buildVideo({ posted_at: isoTime(1) })]);

    expect(commandsOf(mock)).toEqual([choose, put]);
  });

  it('throws every failure other than a refusal, so that the message is delivered again', async () => {
    await expect(storeRunItems(table, backoff)(customerId, 'run_1', [video])).rejects.toBe(unexpected);
  });

  it('stores nothing for a Run without items', async () => {
    await storeRunItems(table, backoff)(customerId, 'run_1', []);

    expect(commandsOf(mock)).toEqual([]);
  });
});

describe('storeCreatorVideos()', () => {
  const creator = { platform: 'tiktok', handle: '@Some.One' };
  const pk = `CRE#${customerId}#tiktok#some.one`;
  const input = {
    TableName: tableName,
    Item: {
      pk,
      sk: 'VIDEO#v1#tiktok',
      listed_pk: pk,
      listed_sk: `${isoTime()}#v1#tiktok`,
      snapshot_at: isoTime(),
      video: JSON.stringify(video),
    },
    ConditionExpression: 'attribute_not_exists(pk) OR snapshot_at <= :snapshot_at',
    ExpressionAttributeValues: { ':snapshot_at': isoTime() },
  };

  it('stores one row for each video, listed by its time, unless a newer snapshot is stored', async () => {
    mock.on(PutCommand).resolves({});

    await storeCreatorVideos(table)(customerId, creator, [video]);

    expect(commandsOf(mock)).toEqual([{ PutCommand: input }]);
    expect(putVideoInput(tableName, customerId, creator, video)).toEqual(input);
  });

  it('does not overwrite a newer snapshot', async () => {
    mock.on(PutCommand).rejects(conditionFailed());

    await expect(storeCreatorVideos(table)(customerId, creator, [video])).resolves.toBeUndefined();
  });

  it('stores the last of two versions in one message', async () => {
    mock.on(PutCommand).resolves({});

    await storeCreatorVideos(table)(customerId, creator, [buildVideo({ description: 'before' }), video]);

    expect(commandsOf(mock)).toEqual([{ PutCommand: input }]);
  });

  it('stores a row for a creator without videos', async () => {
    mock.on(PutCommand).resolves({});

    await storeCreatorVideos(table)(customerId, creator, []);

    expect(commandsOf(mock)).toEqual([
      { PutCommand: { TableName: tableName, Item: { pk, sk: 'CREATOR', ...creator } } },
    ]);
  });

  it('escapes a handle that contains the separator of keys', async () => {
    mock.on(PutCommand).resolves({});

    await storeCreatorVideos(table)(customerId, { platform: 'tiktok', handle: 'a#b%' }, []);

    expect(commandsOf(mock)).toMatchObject([
      { PutCommand: { Item: { pk: `CRE#${customerId}#tiktok#a%23b%25` } } },
    ]);
  });
});

describe('isCreatorKnown()', () => {
  it.each([
    { Items: [{ sk: 'CREATOR' }], known: true },
    { Items: [], known: false },
  ])('reads one item of any kind ($known)', async ({ Items, known }) => {
    mock.on(QueryCommand).resolves({ Items });

    expect(await isCreatorKnown(table)(customerId, { platform: 'tiktok', handle: 'some.one' })).toBe(known);

    expect(commandsOf(mock)).toEqual([
      {
        QueryCommand: {
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': `CRE#${customerId}#tiktok#some.one` },
          ConsistentRead: true,
          Limit: 1,
        },
      },
    ]);
  });
});
