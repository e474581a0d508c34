import { spawnSync } from 'node:child_process';
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

it('a change that the disk has no room for ends the stack on one line, before it is confirmed', async () => {
  const file = join(await temporaryFolder(), 'rows.sqlite');
  const module = new URL('../../tools/local/aws/turn-database.ts', import.meta.url);
  const program = `
    const { TurnDatabase } = await import(${JSON.stringify(module)});
    const database = new TurnDatabase(${JSON.stringify(file)}, 'CREATE TABLE rows (text TEXT)', 'table');
    database.run('INSERT INTO rows VALUES (?)', 'x'.repeat(1_000_000));
    await undefined;
    console.log('confirmed');`;

  // The limit of a file, in blocks of 512 bytes, stands for that of the disk.
  const limited = ['-c', 'ulimit -f 200; exec "$0" --input-type=module -e "$1"', process.execPath, program];
  const { status, stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });

  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Cannot keep the table in \S+rows\.sqlite \(.*\): make room, then start again\n$/),
  });
});

describe('startDynamodb()', () => {
  it('keeps tables, items and their places in indexes in its folder', async () => {
    const dataDir = await temporaryFolder();
    const first = await startDynamodb({ dataDir });
    await first.call('CreateTable', createTableInput(TableName));
    for (const pk of ['kept', 'changed', 'removed']) await first.call('PutItem', { TableName, Item: waiting(pk) });
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

  it('changes rows of a partition that an earlier process wrote, between those that it leaves', async () => {
    const dataDir = await temporaryFolder();
    const row = (sk: string, place?: string) => ({
      pk: { S: 'pk' },
      sk: { S: sk },
      ...(place === undefined ? {} : { waiting_pk: { S: 'WAITING#0' }, waiting_sk: { S: place } }),
    });
    const put = ({ call }: RunningDynamodb, Item: object) => call('PutItem', { TableName, Item });
    const first = await startDynamodb({ dataDir });
    await first.call('CreateTable', createTableInput(TableName));
    for (const each of ['é', 'b', 'z', 'd']) await put(first, row(each, `place-${each}`));
    await first[Symbol.asyncDispose]();

    const second = await startDynamodb({ dataDir });
    for (const each of ['a', 'c', '\u{1f600}']) await put(second, row(each, `place-${each}`));
    await put(second, row('d'));
    await second.call('DeleteItem', { TableName, Key: row('z') });
    await second[Symbol.asyncDispose]();

    const third = await begin({ dataDir });
    const query = (input: object) => third.call('Query', { TableName, ...input });
    const ofTable = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'pk' } },
      ProjectionExpression: 'sk',
    };
    const ofIndex = {
      ...ofTable,
      IndexName: 'waiting',
      KeyConditionExpression: 'waiting_pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'WAITING#0' } },
    };
    const sorted = (...keys: string[]) => ({ Items: keys.map((sk) => ({ sk: { S: sk } })) });
    expect(await query(ofTable)).toMatchObject(sorted('a', 'b', 'c', 'd', 'é', '\u{1f600}'));
    expect(await query(ofIndex)).toMatchObject(sorted('a', 'b', 'c', 'é', '\u{1f600}'));
  });

  it('refuses a folder that another process uses', async () => {
    const dataDir = await temporaryFolder();
    await begin({ dataDir });

    await expect(begin({ dataDir })).rejects.toThrow('rows.sqlite: end another stack that uses this folder');
  });

  it.each(['dynamodb.sqlite', 'table.sqlite'])(
    'refuses a folder with %s of an earlier version, in place of customers without a table',
    async (name) => {
      const dataDir = await temporaryFolder();
      writeFileSync(join(dataDir, name), '');

      await expect(begin({ dataDir })).rejects.toThrow('delete the data folder, or name another with --data');
    },
  );

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
