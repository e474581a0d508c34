import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { firstIdAt, makeId } from '#shared/domain/ids.ts';
import { operationCommands, settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf, unexpected } from '../../support/aws/aws-mocks.ts';
import { captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId, hour, minute, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const partition = `DLV#${customerId}#${webhookId}#0`;
const idMadeAt = (time: number) => deliveryId(time, digest(String(time)), 1);
const stranded = { sk: idMadeAt(startOfTest - 8 * hour), status: 'pending' };
const waiting = { sk: idMadeAt(startOfTest - 7 * hour), status: 'pending', waiting_sk: `0${startOfTest}#x` };
const overdue = {
  sk: idMadeAt(startOfTest - 7 * hour - 1),
  status: 'pending',
  waiting_sk: `0${startOfTest - hour}#x`,
};
const delivered = { sk: idMadeAt(startOfTest - 7 * hour - 2), status: 'delivered' };
const Key = { pk: partition, sk: stranded.sk };
const replays = { pk: `RPL#${customerId}#${webhookId}` };
const replay = makeId('bulkReplay', startOfTest - 7 * hour, digest('replay'));
let replayRow: Readonly<Record<string, unknown>>;

let output: () => string;

beforeAll(async () => {
  const { logger } = await import('#shared/runtime/telemetry.ts');
  logger.setLogLevel('INFO');
});
beforeEach(() => {
  replayRow = { status: 'running', claimed_at: startOfTest };
  output = captureOutput();
  queues.on(GetQueueAttributesCommand).resolves({
    Attributes: {
      ApproximateNumberOfMessages: '3',
      ApproximateNumberOfMessagesNotVisible: '0',
      ApproximateNumberOfMessagesDelayed: '0',
    },
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A table with one customer, whose one endpoint has these deliveries. */
function store(deliveries: readonly object[]): void {
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues: { ':pk': pk, ':first': first } }) => {
    if (pk === 'CUSTOMERS') return { Items: [{ sk: customerId }] };
    if (first === 'WEBHOOKS#') return { Items: [{ sk: `WEBHOOKS#${webhookId}`, delivery_partitions: 1 }] };
    return { Items: pk === partition ? deliveries : [] };
  });
  table.on(GetCommand, { Key }).resolves({ Item: stranded });
  table.on(GetCommand, { Key: { ...replays, sk: 'RUNNING' } }).resolves({ Item: { replay_id: replay } });
  table.on(GetCommand, { Key: { ...replays, sk: replay } }).resolves({ Item: replayRow });
  table.on(UpdateCommand, { Key }).resolves({});
}

async function run(remainingMs = 900_000): Promise<void> {
  const { handler } = await import('../../../functions/schedule/audit/handler.ts');
  await handler({}, { ...lambdaContext, getRemainingTimeInMillis: () => remainingMs });
}

const lines = (): readonly unknown[] => {
  const text = output().trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
};

const commands = (name: string) => operationCommands(table).flatMap((command) => command[name] ?? []);

describe('audit', () => {
  it('looks at what is six to nine hours old, after it asked every queue', async () => {
    store([]);

    await run();

    expect(commandsOf(queues)).toMatchObject(
      [settings.INTAKE_QUEUE_URL, settings.DELIVERY_QUEUE_URL, settings.SLOW_DELIVERY_QUEUE_URL].map(
        (QueueUrl) => ({ GetQueueAttributesCommand: { QueueUrl } }),
      ),
    );
    expect(commands('QueryCommand').slice(4)).toMatchObject([
      {
        ExpressionAttributeValues: {
          ':pk': partition,
          ':first': firstIdAt('delivery', startOfTest - 9 * hour),
          ':last': firstIdAt('delivery', startOfTest - 6 * hour + 1),
        },
      },
    ]);
  });

  it('hands what is stranded to the sweep, although there are messages on a queue, and touches nothing else', async () => {
    store([stranded, overdue, waiting, delivered]);

    await run();

    expect(commands('UpdateCommand')).toMatchObject([
      { Key, ExpressionAttributeValues: { ':place': `0${startOfTest - 3 * minute}#${stranded.sk}` } },
    ]);
  });

  it('publishes what it found as metrics of its stage', async () => {
    store([stranded, overdue, waiting, delivered]);

    await run();

    const unit = (Name: string, Unit: string) => ({ Name, Unit });
    expect(lines()).toContainEqual({
      _aws: {
        Timestamp: startOfTest,
        CloudWatchMetrics: [
          {
            Namespace: 'Webhooks',
            Dimensions: [['service', 'stage']],
            Metrics: [
              unit('PendingDeliveries', 'Count'),
              unit('OverdueDeliveries', 'Count'),
              unit('StrandedDeliveries', 'Count'),
              unit('OldestStrandedAge', 'Seconds'),
              unit('StalledReplays', 'Count'),
              unit('AuditIncomplete', 'Count'),
            ],
          },
        ],
      },
      service: 'webhooks',
      stage: 'test',
      PendingDeliveries: 3,
      OverdueDeliveries: 1,
      StrandedDeliveries: 1,
      OldestStrandedAge: 8 * 60 * 60,
      StalledReplays: 0,
      AuditIncomplete: 0,
    });
  });

  it('logs each stranded delivery by its ids, and then the counts', async () => {
    store([stranded, delivered]);

    await run();

    const ids = { customer_id: customerId, webhook_id: webhookId, delivery_id: stranded.sk };
    const logged = lines().filter((line) => JSON.stringify(line).includes('"message"'));
    expect(logged).toMatchObject([
      { message: 'delivery.stranded', level: 'INFO', ...ids },
      {
        message: 'audit.done',
        level: 'INFO',
        deliveries: { pending: 1, delivered: 1, failed: 0 },
        pending: { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 1 },
        woken: 1,
        complete: true,
        unfinished: [],
      },
    ]);
  });

  it('logs and counts a running bulk replay of which no step has run since its start, seven hours ago', async () => {
    replayRow = { status: 'running' };
    store([]);

    await run();

    expect(lines()).toMatchObject([
      {
        message: 'replay.stalled',
        level: 'WARN',
        customer_id: customerId,
        webhook_id: webhookId,
        replay_id: replay,
        last_step_at: new Date(startOfTest - 7 * hour).toISOString(),
      },
      { StalledReplays: 1 },
      { message: 'audit.done', stalled_replays: 1 },
    ]);
  });

  it('publishes zeros when all is well, so that an alarm ends', async () => {
    store([]);

    await run();

    expect(lines()).toContainEqual(
      expect.objectContaining({
        PendingDeliveries: 0,
        OverdueDeliveries: 0,
        StrandedDeliveries: 0,
        OldestStrandedAge: 0,
        StalledReplays: 0,
        AuditIncomplete: 0,
      }),
    );
  });

  it('begins nothing when its time is almost up, and says that it is not complete', async () => {
    store([stranded]);

    await run(10_000);

    expect(commands('UpdateCommand')).toEqual([]);
    expect(lines()).toContainEqual(expect.objectContaining({ StrandedDeliveries: 0, AuditIncomplete: 1 }));
    expect(lines()).toContainEqual(expect.objectContaining({ message: 'audit.done', complete: false }));
  });

  it('fails when it cannot read, and publishes nothing that looks like calm', async () => {
    store([]);
    table.on(QueryCommand).rejects(unexpected);

    await expect(run()).rejects.toBe(unexpected);

    expect(lines()).toEqual([]);
  });
});
