import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type DynamodbOptions,
  type RunningDynamodb,
  startDynamodb,
} from '../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { createTableInput } from '../support/aws/create-table-input.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

// test/ports has what the tables do, test/local/start.test.ts what a killed stack keeps.

beforeEach(() => void vi.stubEnv('DYNAMODB_ENDPOINT', undefined));

async function begin(options: DynamodbOptions = {}): Promise<RunningDynamodb> {
  const dynamodb = await startDynamodb(options);
  onTestFinished(() => dynamodb[Symbol.asyncDispose]());
  return dynamodb;
}

const TableName = 'table';
const waiting = (pk: string) => ({
  pk: { S: pk },
  sk: { S: 'row' },
  waiting_pk: { S: 'WAITING#0' },
  waiting_sk: { S: pk },
});
const countWaiting = ({ call }: RunningDynamodb) =>
  call('Query', {
    TableName,
    IndexName: 'waiting',
    KeyConditionExpression: 'waiting_pk = :shard',
    ExpressionAttributeValues: { ':shard': { S: 'WAITING#0' } },
    Select: 'COUNT',
  });

describe('startDynamodb()', () => {
  it('keeps tables, items and their places in indexes in its folder', async () => {
    const dataDir = await temporaryFolder();
    const first = await startDynamodb({ dataDir });
    await first.call('CreateTable', createTableInput(TableName));
    for (const pk of ['kept', 'changed', 'removed'])
      await first.call('PutItem', { TableName, Item: waiting(pk) });
    const { pk, sk } = waiting('changed');
    const Key = { pk, sk };
    await first.call('UpdateItem', { TableName, Key, UpdateExpression: 'REMOVE waiting_pk' });
    await first.call('DeleteItem', { TableName, Key: { ...Key, pk: { S: 'removed' } } });
    await first[Symbol.asyncDispose]();

    const second = await begin({ dataDir });

    const { waiting_pk: _, ...changed } = waiting('changed');
    expect(await second.call('Scan', { TableName })).toMatchObject({ Items: [changed, waiting('kept')] });
    expect(await countWaiting(second)).toMatchObject({ Count: 1 });
  });

  it('refuses a folder that another process uses', async () => {
    const dataDir = await temporaryFolder();
    await begin({ dataDir });

    await expect(begin({ dataDir })).rejects.toThrow('table.sqlite: end another stack that uses this folder');
  });

  it('refuses a folder of an earlier release, in place of customers without a table', async () => {
    const dataDir = await temporaryFolder();
    writeFileSync(join(dataDir, 'dynamodb.sqlite'), '');

    await expect(begin({ dataDir })).rejects.toThrow('delete the data folder, or name another with --data');
  });

  it('uses a running DynamoDB that an option or the environment names, and leaves it running', async () => {
    const existing = await begin();

    const named = await begin({ endpoint: existing.url });
    vi.stubEnv('DYNAMODB_ENDPOINT', `${existing.url}/`);
    const found = await begin();

    for (const used of [named, found]) {
      expect(used.url).toBe(existing.url);
      await used.call('CreateTable', createTableInput('table'));
      await used[Symbol.asyncDispose]();
      await existing.call('DeleteTable', { TableName });
    }
  });
});
