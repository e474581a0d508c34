import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AppModel, readAppModel } from '../../tools/local/template/app-model.ts';
import { readCloudAssembly } from '../../tools/local/template/cloud-assembly.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';
import { writeSmallApp } from './small-app.ts';

const sqsUrl = 'http://127.0.0.1:4100';
const queueUrl = `${sqsUrl}/000000000000/data-Queue`;

let dir: string;

beforeEach(async () => {
  dir = await temporaryFolder();
  await writeSmallApp({ outDir: dir, context: { baseUrl: 'http://127.0.0.1:1' } });
});

async function read(): Promise<AppModel> {
  return readAppModel(await readCloudAssembly(dir), { sqsUrl });
}

describe('readAppModel()', () => {
  it('makes the input of CreateTable, without members that an emulator does not use', async () => {
    const { tables } = await read();

    const keys = (partition: string) => [
      { AttributeName: partition, KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ];
    expect(tables).toEqual([
      {
        TableName: 'data-Table',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk', 'due'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        KeySchema: keys('pk'),
        GlobalSecondaryIndexes: [
          { IndexName: 'by_due', KeySchema: keys('due'), Projection: { ProjectionType: 'KEYS_ONLY' } },
        ],
      },
    ]);
  });

  it('gives queues their attributes as text, and connects them with each other, with functions and with schedules', async () => {
    const { queues, mappings, rules } = await read();

    const [deadLetterTargetArn, arn] = ['data-Dead', 'data-Queue'].map(
      (name) => `arn:aws:sqs:us-east-1:000000000000:${name}`,
    );
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
    const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:app-Consumer';
    expect(queues).toEqual([
      expect.objectContaining({ name: 'data-Dead', arn: deadLetterTargetArn }),
      { name: 'data-Queue', arn, url: queueUrl, attributes: { VisibilityTimeout: '2', RedrivePolicy } },
    ]);
    expect(mappings).toEqual([
      {
        queueArn: arn,
        functionArn,
        batchSize: 7,
        batchingWindowSeconds: 0,
        reportsBatchItemFailures: true,
        maximumConcurrency: 4,
      },
    ]);
    expect(rules).toEqual([
      { arn: 'arn:aws:events:us-east-1:000000000000:rule/app-Rule', functionArn, intervalSeconds: 7_200 },
    ]);
  });

  it('resolves the environment of a function across stacks, and finds its bundle', async () => {
    const { functions } = await read();

    expect(functions[0]).toEqual({
      name: 'app-ApiFunction',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:app-ApiFunction',
      title: 'local: api',
      handler: 'index.handler',
      codeDirectory: join(dir, 'asset.api'),
      timeoutSeconds: 5,
      memoryMegabytes: 128,
      allowsLoops: false,
      environment: { TABLE_NAME: 'data-Table', QUEUE_URL: queueUrl, EXTRA: 'us-east-1/b' },
    });
  });

  it('joins the paths of the API and keeps the gateway responses', async () => {
    const { apis } = await read();

    const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:app-ApiFunction';
    expect(apis).toHaveLength(1);
    expect(apis[0]?.stageName).toBe('test');
    expect(apis[0]?.resources).toEqual([
      { path: '/', methods: new Map([['ANY', functionArn]]) },
      { path: '/things', methods: new Map() },
      { path: '/things/{id}', methods: new Map([['GET', functionArn]]) },
    ]);
    expect(apis[0]?.gatewayResponses.get('DEFAULT_5XX')?.statusCode).toBe(500);
  });

  it('gives keys and groups an identity that is the same on every start', async () => {
    const first = await read();
    const second = await read();

    expect(first.scheduleGroups).toEqual(['retries']);
    expect(first.keyArns[0]).toMatch(/^arn:aws:kms:us-east-1:000000000000:key\/[0-9a-f-]{36}$/);
    expect(second.keyArns).toEqual(first.keyArns);
  });

  it('reads outputs, and names a missing one', async () => {
    const model = await read();

    expect(model.output('DocsUrl')).toBe('http://127.0.0.1:1/docs');
    expect(() => model.output('Nothing')).toThrow('Cannot read output "Nothing"');
  });

  it.each([
    ['"Fn::Join":', '"Fn::Cidr":', 'Cannot resolve Fn::Cidr in the template of stack "app"'],
    ['"OutputName":"IntakeQueueUrl"', '"OutputName":"Gone"', '"Gone" of stack "data" in us-east-1'],
    ['"StackName":"data"', '"StackName":"other"', '"TableName" of stack "other"'],
    ['"data:QueueArn"', '"data:Gone"', 'Cannot import "data:Gone" for stack "app"'],
    ['"Region":{"Ref":"AWS::Region"}', '"Region":"eu-west-1"', 'of stack "data" in eu-west-1'],
    ['rate(2 hours)', 'cron(0 1 * * ? *)', 'Cannot run the schedule "cron(0 1 * * ? *)"'],
  ])('with %s replaced by %s, names what it cannot read', async (right, wrong, named) => {
    const file = join(dir, 'app.template.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace(right, wrong));

    await expect(read()).rejects.toThrow(named);
  });
});
