import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  connectKeys,
  connectQueues,
  connectSchedules,
  connectTable,
} from '#shared/aws/direct/connections.ts';
import { endpointOf, type ServiceName } from '#shared/aws/direct/endpoints.ts';
import { ok, plain, startScriptedService } from '../../../support/aws/scripted-service.ts';
import { testHost } from '../../../support/aws/test-host.ts';
import { unexpected } from '../../../support/operations/deps.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the requests of the functions', () => {
  it('DynamoDB gets JSON 1.0, signed for the service and the Region', async () => {
    const { url, requests } = await startScriptedService(ok('{"Item":{"pk":{"S":"A"}}}'));
    const now = () => Date.UTC(2026, 10, 20, 12);
    const { client } = connectTable('table', unexpected('report'), testHost(url, { now }));

    const answer = await client.get({ TableName: 'table', Key: { pk: 'A' } });

    expect(answer).toEqual({ Item: { pk: 'A' } });
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/',
        headers: {
          host: url.replace('http://', ''),
          connection: 'keep-alive',
          'content-type': 'application/x-amz-json-1.0',
          'content-length': '44',
          'x-amz-target': 'DynamoDB_20120810.GetItem',
          'x-amz-date': '20261120T120000Z',
          authorization: expect.stringMatching(
            /^AWS4-HMAC-SHA256 Credential=local\/20261120\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=[0-9a-f]{64}$/,
          ),
        },
        body: '{"TableName":"table","Key":{"pk":{"S":"A"}}}',
      },
    ]);
    client.close();
  });

  it('SQS gets JSON 1.0, and its refusals of single messages are returned', async () => {
    const failed = { Id: '1', Code: 'InternalError', SenderFault: false };
    const { url, requests } = await startScriptedService(
      ok('{"MessageId":"m1"}'),
      ok(JSON.stringify({ Successful: [], Failed: [failed] })),
      ok('{"Attributes":{"ApproximateNumberOfMessages":"3"}}'),
    );
    const queues = connectQueues(testHost(url));
    const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/queue';
    const entries = { QueueUrl, Entries: [{ Id: '1', MessageBody: '{}' }] };
    const attributes = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };

    await queues.sendMessage({ QueueUrl, MessageBody: '{}' });

    expect(await queues.sendMessageBatch(entries)).toEqual({ Failed: [{ Id: '1' }] });
    expect(await queues.getQueueAttributes(attributes)).toEqual({
      Attributes: { ApproximateNumberOfMessages: '3' },
    });
    expect(requests.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body)])).toEqual([
      ['AmazonSQS.SendMessage', { QueueUrl, MessageBody: '{}' }],
      ['AmazonSQS.SendMessageBatch', entries],
      ['AmazonSQS.GetQueueAttributes', attributes],
    ]);
    expect(requests[0]).toMatchObject({
      path: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        authorization: expect.stringContaining('/us-east-1/sqs/'),
      },
    });
  });

  it('KMS gets JSON 1.1, with bytes as base64', async () => {
    const { url, requests } = await startScriptedService(
      ok(JSON.stringify({ CiphertextBlob: base64('sealed') })),
      ok(JSON.stringify({ Plaintext: base64('secret') })),
    );
    const keys = connectKeys(testHost(url));
    const context = { KeyId: 'key', EncryptionContext: { webhook_id: 'whe_1' } };

    const { CiphertextBlob } = await keys.encrypt({ ...context, Plaintext: Buffer.from('secret') });
    const { Plaintext } = await keys.decrypt({ ...context, CiphertextBlob });

    expect(Buffer.from(CiphertextBlob ?? []).toString()).toBe('sealed');
    expect(Buffer.from(Plaintext ?? []).toString()).toBe('secret');
    expect(requests.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body)])).toEqual([
      ['TrentService.Encrypt', { ...context, Plaintext: base64('secret') }],
      ['TrentService.Decrypt', { ...context, CiphertextBlob: base64('sealed') }],
    ]);
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      authorization: expect.stringContaining('/us-east-1/kms/'),
    });
  });

  it('EventBridge Scheduler gets a POST to the path of the schedule, with one token for all tries', async () => {
    const { url, requests } = await startScriptedService(plain(500, ''), ok('{"ScheduleArn":"arn"}'));
    const input = {
      ScheduleExpression: 'at(2026-11-20T12:10:00)',
      FlexibleTimeWindow: { Mode: 'OFF' as const },
      Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage', RoleArn: 'arn:aws:iam::1:role/r' },
    };

    await connectSchedules(testHost(url)).createSchedule({ Name: 'whd_1-2', ...input });

    expect(requests).toHaveLength(2);
    expect(requests.slice(0, 1)).toMatchObject([
      {
        path: '/schedules/whd_1-2',
        headers: {
          'content-type': 'application/json',
          authorization: expect.stringContaining('/us-east-1/scheduler/'),
        },
      },
    ]);
    const [token, other] = requests.map(({ body }) =>
      z.object({ ClientToken: z.uuid() }).parse(JSON.parse(body)),
    );
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ ...input, ...token });
    expect(other).toEqual(token);
  });

  it('the error that a REST service names in a header keeps its name', async () => {
    const { url } = await startScriptedService((response) => {
      response.writeHead(409, { 'x-amzn-errortype': 'ConflictException:http://internal.amazon.com/' });
      response.end('{"Message":"Schedule whd_1-2 already exists."}');
    });
    const input = {
      Name: 'whd_1-2',
      ScheduleExpression: '',
      FlexibleTimeWindow: undefined,
      Target: undefined,
    };

    await expect(connectSchedules(testHost(url)).createSchedule(input)).rejects.toMatchObject({
      name: 'ConflictException',
      message: 'Schedule whd_1-2 already exists.',
    });
  });

  it('an answer of SQS with other members than expected is refused', async () => {
    const { url } = await startScriptedService(plain(200, '{"Failed":[{"Code":"InternalError"}]}'));
    const sent = connectQueues(testHost(url)).sendMessageBatch({ QueueUrl: 'queue', Entries: [] });

    await expect(sent).rejects.toThrow('Id');
  });
});

describe('endpointOf()', () => {
  const endpoint = (service: ServiceName, variables: Readonly<Record<string, string | undefined>>) =>
    endpointOf(service, testHost('', { variables })).href;

  it.each([
    { service: 'dynamodb', region: 'eu-west-1', url: 'https://dynamodb.eu-west-1.amazonaws.com/' },
    { service: 'sqs', region: 'us-gov-west-1', url: 'https://sqs.us-gov-west-1.amazonaws.com/' },
    { service: 'kms', region: 'cn-north-1', url: 'https://kms.cn-north-1.amazonaws.com.cn/' },
    { service: 'scheduler', region: 'us-east-1', url: 'https://scheduler.us-east-1.amazonaws.com/' },
  ] as const)('is $url for $service in $region', ({ service, region, url }) => {
    expect(endpoint(service, { AWS_REGION: region })).toBe(url);
  });

  it('is the address in the variable of the service, then the one for all services', () => {
    const all = 'http://127.0.0.1:1';

    expect(endpoint('kms', { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:2' })).toBe(
      'http://127.0.0.1:2/',
    );
    expect(endpoint('sqs', { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:2' })).toBe(
      'http://127.0.0.1:1/',
    );
  });

  it('needs a Region or an address', () => {
    expect(() => endpoint('sqs', { AWS_REGION: undefined })).toThrow('AWS_REGION is not set');
  });
});
