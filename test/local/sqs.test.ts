import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningSqs, type SqsOptions, startSqs } from '../../local/aws/sqs/start-sqs.ts';

let dir: string;
let sqs: RunningSqs;
let client: SQSClient;
const programs: ChildProcess[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sqs-'));
  await begin();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  await end();
  await rm(dir, { recursive: true });
});

async function begin(options: Partial<SqsOptions> = {}): Promise<void> {
  sqs = await startSqs({ port: 0, dataDir: dir, ...options });
  client = clientOf(sqs.url);
}

async function end(): Promise<void> {
  client.destroy();
  await sqs[Symbol.asyncDispose]();
}

function clientOf(url: string): SQSClient {
  return new SQSClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
    maxAttempts: 1,
  });
}

async function createQueue(name: string, attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return QueueUrl ?? '';
}

async function send(
  queue: string,
  body: string,
  more: Partial<SendMessageCommand['input']> = {},
): Promise<void> {
  await client.send(new SendMessageCommand({ QueueUrl: queue, MessageBody: body, ...more }));
}

async function receive(queue: string, waitSeconds = 0, visibilitySeconds = 30): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queue,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: visibilitySeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}

async function bodies(queue: string, waitSeconds = 0): Promise<(string | undefined)[]> {
  return (await receive(queue, waitSeconds)).map(({ Body }) => Body);
}

async function changeVisibility(queue: string, message: Message | undefined, seconds: number): Promise<void> {
  await client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: queue,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: seconds,
    }),
  );
}

async function createWithDeadLetters(
  maxReceiveCount: number,
): Promise<{ queue: string; deadLetters: string }> {
  const deadLetters = await createQueue('dead-letters');
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const policy = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount };
  const queue = await createQueue('work', { RedrivePolicy: JSON.stringify(policy), VisibilityTimeout: '30' });
  return { queue, deadLetters };
}

/** A separate program that serves the queues of a folder until it is killed. */
async function beginElsewhere(dataDir: string): Promise<{ program: ChildProcess; url: string }> {
  const module = new URL('../../local/aws/sqs/start-sqs.ts', import.meta.url).href;
  const source = `
    import { startSqs } from ${JSON.stringify(module)};
    console.log((await startSqs({ port: 0, dataDir: ${JSON.stringify(dataDir)} })).url);`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(program);
  const [line] = await once(program.stdout, 'data');
  return { program, url: String(line).trim() };
}

describe('startSqs()', () => {
  it('gives queue URLs that work without changes', async () => {
    const queue = await createQueue('q');

    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: 'q' }));

    expect(queue).toBe(`${sqs.url}/000000000000/q`);
    expect(QueueUrl).toBe(queue);
  });

  it('listens on loopback only', async () => {
    const outer = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    const { port } = new URL(sqs.url);

    expect(new URL(sqs.url).hostname).toBe('127.0.0.1');
    if (outer !== undefined) await expect(fetch(`http://${outer.address}:${port}/health`)).rejects.toThrow();
  });

  it('answers a long poll as soon as a message comes', async () => {
    const queue = await createQueue('q');
    const poll = bodies(queue, 10);

    await send(queue, 'hello');

    expect(await poll).toEqual(['hello']);
  });

  it('answers an empty long poll after its wait', async () => {
    const queue = await createQueue('q');
    const before = performance.now();

    const got = await bodies(queue, 1);

    expect(got).toEqual([]);
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  it('holds a message back for its delay', async () => {
    const queue = await createQueue('q');
    const before = performance.now();

    await send(queue, 'later', { DelaySeconds: 1 });

    expect(await bodies(queue, 10)).toEqual(['later']);
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  it('shows a message again after its visibility timeout, and counts how often it was received', async () => {
    const queue = await createQueue('q');
    await send(queue, 'again');
    const before = performance.now();
    await receive(queue, 0, 1);

    const [message] = await receive(queue, 10);

    expect(performance.now() - before).toBeGreaterThan(900);
    expect(message).toMatchObject({ Body: 'again', Attributes: { ApproximateReceiveCount: '2' } });
  });

  it('gives a message back at once when its visibility is set to 0', async () => {
    const queue = await createQueue('q');
    await send(queue, 'back');
    const [first] = await receive(queue);

    await changeVisibility(queue, first, 0);

    expect(await bodies(queue)).toEqual(['back']);
  });

  it('hides a message for longer when its visibility is extended', async () => {
    const queue = await createQueue('q');
    await send(queue, 'slow');
    const start = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const [message] = await receive(queue, 0, 1);

    await changeVisibility(queue, message, 30);

    vi.setSystemTime(start + 29_000);
    expect(await bodies(queue)).toEqual([]);
    vi.setSystemTime(start + 31_000);
    expect(await bodies(queue)).toEqual(['slow']);
  });

  it('moves a message to the dead-letter queue after the allowed number of receives', async () => {
    const { queue, deadLetters } = await createWithDeadLetters(2);
    await send(queue, 'poison');
    for (let n = 0; n < 2; n += 1) {
      const [message] = await receive(queue);
      await changeVisibility(queue, message, 0);
    }

    expect(await bodies(queue)).toEqual([]);
    expect(await bodies(deadLetters)).toEqual(['poison']);
  });

  it('sends and deletes ten at a time', async () => {
    const queue = await createQueue('q');
    const numbers = Array.from({ length: 10 }, (_, n) => String(n));
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queue,
        Entries: numbers.map((Id) => ({ Id, MessageBody: `body ${Id}`, MessageGroupId: 'wh_1' })),
      }),
    );

    const messages = await receive(queue);
    const deleted = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queue,
        Entries: messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle })),
      }),
    );

    expect(messages.map(({ Body }) => Body)).toEqual(numbers.map((n) => `body ${n}`));
    expect(deleted.Successful).toHaveLength(10);
  });

  it('accepts a group on a standard queue, and does not block it', async () => {
    const queue = await createQueue('q');
    await send(queue, 'one', { MessageGroupId: 'wh_1' });
    await send(queue, 'two', { MessageGroupId: 'wh_1' });

    expect(await bodies(queue)).toEqual(['one', 'two']);
  });

  it('returns the group of a message of a standard queue', async () => {
    const queue = await createQueue('q');
    await send(queue, 'one', { MessageGroupId: 'wh_1' });
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queue,
        Entries: [
          { Id: '1', MessageBody: 'two', MessageGroupId: 'wh_2' },
          { Id: '2', MessageBody: 'three' },
        ],
      }),
    );

    const messages = await receive(queue);

    expect(messages.map(({ Attributes }) => Attributes?.MessageGroupId)).toEqual(['wh_1', 'wh_2', undefined]);
  });

  it.each(['plain', 'ü € \t\n', 'emoji 🎬👩‍👧', '𠮷'])('accepts the body %j', async (body) => {
    const queue = await createQueue('q');

    await send(queue, body);
    await client.send(
      new SendMessageBatchCommand({ QueueUrl: queue, Entries: [{ Id: '1', MessageBody: body }] }),
    );

    expect(await bodies(queue)).toEqual([body, body]);
  });

  it('refuses a body with a character that SQS refuses', async () => {
    const queue = await createQueue('q');

    await expect(send(queue, 'bad \u0001')).rejects.toThrow('Invalid characters found');
  });

  it('works without a folder, and then keeps nothing', async () => {
    await end();
    sqs = await startSqs({ port: 0 });
    client = clientOf(sqs.url);
    const queue = await createQueue('q');
    await send(queue, 'x');
    const got = await bodies(queue);
    await end();
    sqs = await startSqs({ port: 0 });
    client = clientOf(sqs.url);

    expect(got).toEqual(['x']);
    await expect(client.send(new GetQueueUrlCommand({ QueueName: 'q' }))).rejects.toThrow();
  });

  it('closes at once although a long poll waits', async () => {
    const queue = await createQueue('q');
    const poll = bodies(queue, 20).catch(() => 'cut');

    await end();
    await begin();

    expect(['cut', []]).toContainEqual(await poll);
  });

  it('names the port that another program holds', async () => {
    const port = Number(new URL(sqs.url).port);

    await expect(startSqs({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  });

  it('refuses a folder that another stack uses, and leaves that one alone', async () => {
    const queue = await createQueue('q');

    await expect(startSqs({ port: 0, dataDir: dir })).rejects.toThrow(
      'end another stack that uses this folder',
    );

    await send(queue, 'still here');
    expect(await bodies(queue)).toEqual(['still here']);
  });
});

describe('fair queues', () => {
  async function sendMany(queue: string, count: number, group: object): Promise<void> {
    const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: String(n), MessageBody: 'many', ...group }));
    for (let sent = 0; sent < count; sent += 10) {
      await client.send(new SendMessageBatchCommand({ QueueUrl: queue, Entries }));
    }
  }

  it('serves other groups before one with thirty messages and a tenth in flight', async () => {
    const queue = await createQueue('q');
    await sendMany(queue, 60, { MessageGroupId: 'loud' });
    for (let received = 0; received < 30; received += 10) await receive(queue);

    await send(queue, 'quiet', { MessageGroupId: 'quiet' });
    await send(queue, 'alone');

    expect(await bodies(queue)).toEqual(['quiet', 'alone', ...Array.from({ length: 8 }, () => 'many')]);
  });

  it('serves messages in the order of arrival while no group is noisy', async () => {
    const queue = await createQueue('q');
    await sendMany(queue, 40, { MessageGroupId: 'loud' });
    for (let received = 0; received < 20; received += 10) await receive(queue);

    await send(queue, 'quiet', { MessageGroupId: 'quiet' });

    expect(await bodies(queue)).toEqual(Array.from({ length: 10 }, () => 'many'));
  });

  it('treats each message without a group as a tenant of its own', async () => {
    const queue = await createQueue('q');
    await sendMany(queue, 50, {});
    for (let received = 0; received < 40; received += 10) await receive(queue);

    await send(queue, 'quiet', { MessageGroupId: 'quiet' });

    expect(await bodies(queue)).toEqual(Array.from({ length: 10 }, () => 'many'));
  });

  it('serves other groups before one that took more than a tenth of the recent processing time', async () => {
    const queue = await createQueue('q');
    await send(queue, 'slow 1', { MessageGroupId: 'slow' });
    const [message] = await receive(queue);
    await client.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle: message?.ReceiptHandle }));

    await send(queue, 'slow 2', { MessageGroupId: 'slow' });
    await send(queue, 'quiet', { MessageGroupId: 'quiet' });

    expect(await bodies(queue)).toEqual(['quiet', 'slow 2']);
  });

  it('no longer counts messages as in flight that became visible again', async () => {
    const queue = await createQueue('q');
    await sendMany(queue, 30, { MessageGroupId: 'loud' });
    const held = [...(await receive(queue)), ...(await receive(queue)), ...(await receive(queue))];
    for (const message of held) await changeVisibility(queue, message, 0);

    await send(queue, 'quiet', { MessageGroupId: 'quiet' });

    expect(await bodies(queue)).toEqual(Array.from({ length: 10 }, () => 'many'));
  });

  it('gives no message to a long poll whose caller is gone', async () => {
    const queue = await createQueue('q');
    const gone = new AbortController();
    const poll = client.send(new ReceiveMessageCommand({ QueueUrl: queue, WaitTimeSeconds: 20 }), {
      abortSignal: gone.signal,
    });
    await receive(queue);

    gone.abort();
    await expect(poll).rejects.toThrow('abort');
    await receive(queue);
    await send(queue, 'kept');

    expect(await bodies(queue, 5)).toEqual(['kept']);
  });
});

describe('after the end of the process', () => {
  async function restart(): Promise<void> {
    await end();
    await begin();
  }

  it('queues outlive the process, under its new address and with their attributes', async () => {
    await createWithDeadLetters(3);
    await restart();

    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: 'work' }));
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );

    expect(QueueUrl).toBe(`${sqs.url}/000000000000/work`);
    expect(Attributes).toMatchObject({
      VisibilityTimeout: '30',
      RedrivePolicy: expect.stringContaining('"maxReceiveCount":3'),
    });
  });

  it('messages outlive the process in order, without those that were deleted', async () => {
    const queue = await createQueue('q');
    for (const body of ['deleted', 'waiting 1', 'waiting 2']) await send(queue, body);
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: queue }));
    await client.send(
      new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle: Messages?.[0]?.ReceiptHandle }),
    );
    await send(queue, 'delayed', { DelaySeconds: 60 });
    await send(queue, 'with attribute', {
      MessageAttributes: { reason: { DataType: 'String', StringValue: 'bad' } },
    });
    await restart();

    const messages = await receive(queue);

    expect(messages.map(({ Body }) => Body)).toEqual(['waiting 1', 'waiting 2', 'with attribute']);
    expect(messages[2]?.MessageAttributes?.reason?.StringValue).toBe('bad');
  });

  it('groups of messages outlive the process', async () => {
    const queue = await createQueue('q');
    await send(queue, 'grouped', { MessageGroupId: 'wh_1' });
    await restart();

    const [message] = await receive(queue);

    expect(message).toMatchObject({ Body: 'grouped', Attributes: { MessageGroupId: 'wh_1' } });
  });

  it('messages in flight are visible at once after a restart, with their receive count', async () => {
    const queue = await createQueue('q');
    await send(queue, 'in flight');
    await receive(queue, 0, 600);
    await restart();

    const [message] = await receive(queue);

    expect(message).toMatchObject({ Body: 'in flight', Attributes: { ApproximateReceiveCount: '2' } });
  });

  it('messages outlive the process after a return, a move to the dead letters and a tag of their queue', async () => {
    const { queue, deadLetters } = await createWithDeadLetters(1);
    const other = await createQueue('other');
    await send(other, 'tagged');
    await client.send(new TagQueueCommand({ QueueUrl: other, Tags: { stage: 'local' } }));
    await send(queue, 'poison');
    const [message] = await receive(queue);
    await changeVisibility(queue, message, 0);
    await receive(queue);
    await restart();

    expect(await bodies(queue)).toEqual([]);
    expect(await bodies(deadLetters)).toEqual(['poison']);
    expect(await bodies(other)).toEqual(['tagged']);
  });

  it('accepted messages outlive a killed process', async () => {
    const folder = join(dir, 'killed');
    const { program, url } = await beginElsewhere(folder);
    const elsewhere = clientOf(url);
    const { QueueUrl } = await elsewhere.send(new CreateQueueCommand({ QueueName: 'q' }));
    const numbers = Array.from({ length: 20 }, (_, n) => `message ${n}`);
    await Promise.all(
      numbers.map((MessageBody) => elsewhere.send(new SendMessageCommand({ QueueUrl, MessageBody }))),
    );
    await elsewhere.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 5, VisibilityTimeout: 600 }),
    );

    program.kill('SIGKILL');
    await once(program, 'exit');
    elsewhere.destroy();
    await end();
    await begin({ dataDir: folder });

    const got = [
      ...(await bodies(`${sqs.url}/000000000000/q`)),
      ...(await bodies(`${sqs.url}/000000000000/q`)),
    ];
    expect(got.sort()).toEqual(numbers.sort());
  });
});
