import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// A cloud assembly of two stacks as the CDK writes it, with functions of a few lines that need no SDK.

const client = `
import http from 'node:http';
import { text } from 'node:stream/consumers';
const call = (service, target, input) => new Promise((resolve, reject) => {
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': target,
    'X-Amz-Date': '20200101T000000Z',
    Authorization: 'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=0',
  };
  http.request(process.env['AWS_ENDPOINT_URL_' + service], { method: 'POST', headers }, (response) => {
    text(response).then((body) => resolve(JSON.parse(body)), reject);
  }).on('error', reject).end(JSON.stringify(input));
});
`;

const api = `
${client}
const actions = {
  send: async ({ body = 'hello' }) =>
    call('SQS', 'AmazonSQS.SendMessage', { QueueUrl: process.env.QUEUE_URL, MessageBody: body }),
  list: async () => call('DYNAMODB', 'DynamoDB_20120810.Scan', { TableName: process.env.TABLE_NAME }),
  environment: async () => process.env,
  remaining: async (query, context) => ({ ms: context.getRemainingTimeInMillis() }),
};
export const handler = async (event, context) => {
  const { action, ...query } = event.queryStringParameters ?? {};
  if (action === 'fail') throw new Error('wanted');
  const body = await actions[action](query, context);
  return { statusCode: 200, body: JSON.stringify(body) };
};
`;

const consumer = `
${client}
export const handler = async (event) => {
  for (const record of event.Records) {
    const Item = { pk: { S: record.body }, sk: { S: 'row' } };
    await call('DYNAMODB', 'DynamoDB_20120810.PutItem', { TableName: process.env.TABLE_NAME, Item });
    const left = Number(/^again-(\\d+)$/.exec(record.body)?.[1] ?? 0);
    const Entries = [{ Id: '0', MessageBody: 'again-' + (left - 1) }];
    if (left > 0) await call('SQS', 'AmazonSQS.SendMessageBatch', { QueueUrl: process.env.QUEUE_URL, Entries });
  }
  return { batchItemFailures: [] };
};
`;

const resource = (Type: string, Properties: object) => ({ Type, Properties });
const arnOf = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });

const Region = { Ref: 'AWS::Region' };

/** Reads an output of the stack with the data. */
const dataOutput = (name: string) => ({
  'Fn::GetStackOutput': { StackName: 'data', OutputName: name, Region },
});

const scalingWrites = {
  WriteCapacityAutoScalingSettings: { MinCapacity: 1, MaxCapacity: 2, SeedCapacity: 1 },
};
const keys = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];
const outputsOf = (Ref: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${name}QueueUrl`, { Value: { Ref } }]));

const dataTemplate = {
  Resources: {
    Table: resource('AWS::DynamoDB::GlobalTable', {
      AttributeDefinitions: ['pk', 'sk', 'due'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: keys('pk', 'sk'),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by_due',
          KeySchema: keys('due', 'sk'),
          Projection: { ProjectionType: 'KEYS_ONLY' },
          WriteProvisionedThroughputSettings: scalingWrites,
        },
      ],
      BillingMode: 'PROVISIONED',
      WriteProvisionedThroughputSettings: scalingWrites,
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
      Replicas: [{ Region }],
    }),
    Dead: resource('AWS::SQS::Queue', { MessageRetentionPeriod: 1_209_600 }),
    Queue: resource('AWS::SQS::Queue', {
      VisibilityTimeout: 2,
      RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 },
    }),
    Key: resource('AWS::KMS::Key', { KeyPolicy: { 'Fn::Unheard': 1 } }),
    Group: resource('AWS::Scheduler::ScheduleGroup', { Name: 'retries' }),
  },
  Outputs: {
    TableName: { Value: { Ref: 'Table' } },
    ...outputsOf('Queue', 'Intake', 'Delivery', 'SlowDelivery', 'Replay'),
    ...outputsOf('Dead', 'IntakeDeadLetter', 'DeliveryDeadLetter', 'ReplayDeadLetter'),
    QueueArn: { Value: arnOf('Queue'), Export: { Name: 'data:QueueArn' } },
  },
};

function lambda(folder: string, environment: object, more: object = {}) {
  return resource('AWS::Lambda::Function', {
    Handler: 'index.handler',
    Timeout: 5,
    MemorySize: 128,
    Description: `local: ${folder}`,
    Role: arnOf('Role'),
    Code: { S3Bucket: { 'Fn::Sub': 'assets-$' + '{AWS::Region}' }, S3Key: `${folder}.zip` },
    Environment: { Variables: environment },
    ...more,
  });
}

const RestApiId = { Ref: 'Api' };

function method(ResourceId: unknown, HttpMethod: string) {
  const start = ['arn:', { Ref: 'AWS::Partition' }, ':apigateway:', Region];
  const end = [':lambda:path/2015-03-31/functions/', arnOf('ApiFunction'), '/invocations'];
  const Integration = { Type: 'AWS_PROXY', Uri: { 'Fn::Join': ['', [...start, ...end]] } };
  return resource('AWS::ApiGateway::Method', { HttpMethod, ResourceId, RestApiId, Integration });
}

function appTemplate(baseUrl: string, recursiveLoop: string) {
  const environment = {
    TABLE_NAME: dataOutput('TableName'),
    QUEUE_URL: dataOutput('IntakeQueueUrl'),
    EXTRA: { 'Fn::Sub': '$' + '{AWS::Region}/b' },
    ABSENT: { Ref: 'AWS::NoValue' },
  };
  const root = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
  const path = (ParentId: object, PathPart: string) =>
    resource('AWS::ApiGateway::Resource', { ParentId, PathPart, RestApiId });
  return {
    Parameters: { BootstrapVersion: { Type: 'String', Default: '/cdk/version' } },
    Resources: {
      Role: resource('AWS::IAM::Role', { Policies: { 'Fn::Unheard': 1 } }),
      ApiFunction: lambda('api', environment),
      Consumer: lambda('consumer', environment, { RecursiveLoop: recursiveLoop }),
      Mapping: resource('AWS::Lambda::EventSourceMapping', {
        FunctionName: { Ref: 'Consumer' },
        EventSourceArn: { 'Fn::ImportValue': 'data:QueueArn' },
        BatchSize: 7,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 4 },
      }),
      Rule: resource('AWS::Events::Rule', {
        ScheduleExpression: 'rate(2 hours)',
        State: 'ENABLED',
        Targets: [{ Id: 'a', Arn: arnOf('Consumer') }],
      }),
      Api: resource('AWS::ApiGateway::RestApi', { Name: 'small' }),
      Things: path(root, 'things'),
      Thing: path({ Ref: 'Things' }, '{id}'),
      GetThing: method({ Ref: 'Thing' }, 'GET'),
      AnyRoot: method(root, 'ANY'),
      Stage: resource('AWS::ApiGateway::Stage', { StageName: 'test', RestApiId }),
      Failed: resource('AWS::ApiGateway::GatewayResponse', {
        ResponseType: 'DEFAULT_5XX',
        StatusCode: '500',
        RestApiId,
        ResponseParameters: { 'gatewayresponse.header.Content-Type': "'application/problem+json'" },
        ResponseTemplates: { 'application/json': '{"instance":"$context.requestId"}' },
      }),
    },
    Outputs: { DocsUrl: { Value: `${baseUrl}/docs` }, OperatorFunctions: { Value: '{}' } },
  };
}

/** The code of each function. */
const bundles = { api, consumer };
const files = Object.keys(bundles).map((folder) => {
  const source = { path: `asset.${folder}`, packaging: 'zip' };
  return [folder, { source, destinations: { here: { objectKey: `${folder}.zip` } } }] as const;
});

const manifest = {
  version: '1',
  artifacts: {
    'app.assets': { type: 'cdk:asset-manifest', properties: { file: 'app.assets.json' } },
    data: { type: 'aws:cloudformation:stack', properties: { templateFile: 'data.template.json' } },
    app: { type: 'aws:cloudformation:stack', properties: { templateFile: 'app.template.json' } },
    Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } },
  },
};

/** Writes the assembly; can stand in for the synthesis of the real app. */
export async function writeSmallApp(request: {
  readonly outDir: string;
  readonly context: Readonly<Record<string, string>>;
  /** Setting of the consumer, which sends `again-<n>` to its own queue when it receives `again-<n + 1>`. */
  readonly recursiveLoop?: string;
}): Promise<void> {
  const { outDir, context, recursiveLoop = 'Terminate' } = request;
  for (const [folder, code] of Object.entries(bundles)) {
    await mkdir(join(outDir, `asset.${folder}`), { recursive: true });
    await writeFile(join(outDir, `asset.${folder}`, 'index.mjs'), code);
  }
  const documents = {
    manifest,
    'app.assets': { files: Object.fromEntries(files) },
    'data.template': dataTemplate,
    'app.template': appTemplate(context.baseUrl ?? '', recursiveLoop),
  };
  for (const [name, content] of Object.entries(documents)) {
    await writeFile(join(outDir, `${name}.json`), JSON.stringify(content));
  }
}
