import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { firstIdAt, makeId } from '#shared/domain/ids.ts';
import { operationCommands, settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { type Outcome, runAdmin } from '../../support/stack/operate.ts';
import { customerId, hour, minute, startOfTest, webhookId } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();

const partition = `DLV#${customerId}#${webhookId}#0`;
const idMadeAgo = (age: number, part = '') => deliveryId(startOfTest - age, digest(String(age), part), 1);
const pending = (age: number, given: object = {}) => ({ sk: idMadeAgo(age), status: 'pending', ...given });
const waiting = pending(20 * hour, { waiting_sk: `0${startOfTest}#x` });
const stranded = pending(2 * hour + 5 * minute);
const alsoStranded = pending(16 * minute);
const ended = [
  { sk: idMadeAgo(minute, 'a'), status: 'delivered' },
  { sk: idMadeAgo(minute, 'b'), status: 'delivered' },
  { sk: idMadeAgo(minute, 'c'), status: 'failed' },
];

let dir: string;
let stackFile: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audit-'));
  stackFile = join(dir, 'stack.json');
  const stack = {
    region: 'us-east-1',
    table_name: 'webhooks-test',
    intake_queue_url: settings.INTAKE_QUEUE_URL,
    delivery_queue_url: settings.DELIVERY_QUEUE_URL,
    slow_delivery_queue_url: settings.SLOW_DELIVERY_QUEUE_URL,
    replay_queue_url: settings.REPLAY_QUEUE_URL,
    replay_dead_letter_queue_url: settings.REPLAY_DEAD_LETTER_QUEUE_URL,
    intake_dead_letter_queue_url: settings.INTAKE_DEAD_LETTER_QUEUE_URL,
    delivery_dead_letter_queue_url: settings.DELIVERY_DEAD_LETTER_QUEUE_URL,
    endpoints: { dynamodb: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:1' },
  };
  await writeFile(stackFile, JSON.stringify(stack));
});
afterAll(() => rm(dir, { recursive: true }));

beforeEach(() => {
  queues.on(GetQueueAttributesCommand).resolves({
    Attributes: {
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      ApproximateNumberOfMessagesDelayed: '0',
    },
  });
});

/** A table with one customer, whose one endpoint has these deliveries, and no bulk replay unless `replay` is running. */
function store(deliveries: readonly { readonly sk: string }[], replay?: string): void {
  const pk = `RPL#${customerId}#${webhookId}`;
  const running = replay === undefined ? {} : { Item: { replay_id: replay } };
  table.on(GetCommand, { Key: { pk, sk: 'RUNNING' } }).resolves(running);
  table.on(GetCommand, { Key: { pk, sk: replay ?? '' } }).resolves({ Item: { status: 'running' } });
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues: { ':pk': pk, ':first': first } }) => {
    if (pk === 'CUSTOMERS') return { Items: [{ sk: customerId }] };
    if (first === 'WEBHOOKS#') return { Items: [{ sk: `WEBHOOKS#${webhookId}`, delivery_partitions: 1 }] };
    return { Items: pk === partition ? deliveries : [] };
  });
  for (const delivery of deliveries) {
    const Key = { pk: partition, sk: delivery.sk };
    table.on(GetCommand, { Key }).resolves({ Item: delivery });
    table.on(UpdateCommand, { Key }).resolves({});
  }
}

const audit = (...args: readonly string[]): Promise<Outcome> =>
  runAdmin('audit', '--stack-file', stackFile, ...args);

async function auditJson(...args: readonly string[]) {
  const { code, output } = await audit('--json', ...args);
  const result: unknown = JSON.parse(output);
  return { code, result };
}

const commands = (name: string) => operationCommands(table).flatMap((command) => command[name] ?? []);
const idsOf = ({ sk }: { readonly sk: string }) => ({
  customer_id: customerId,
  webhook_id: webhookId,
  delivery_id: sk,
});

describe('npm run admin -- audit', () => {
  it('prints the number of deliveries in each state, with its meaning', async () => {
    store([waiting, stranded, alsoStranded, ...ended]);

    const { code, output } = await audit();

    expect(output.split('\n')).toEqual([
      'Deliveries created since 2026-11-19T12:00:00.500Z',
      'STATE      DELIVERIES  MEANING',
      'delivered  2           the endpoint acknowledged it',
      'failed     1           no attempt is left, or the endpoint was deleted',
      'pending    3           not finished; of these:',
      'in_flight  0           an attempt is under way',
      'waiting    1           its timer or the sweep will continue it',
      'overdue    0           the sweep should have continued it',
      'queued     0           a message on a queue will continue it',
      'stranded   2           nothing will continue it',
      `Oldest pending: ${waiting.sk} of ${webhookId}, 20 h 0 min old`,
      `Oldest stranded: ${stranded.sk} of ${webhookId}, 2 h 5 min old`,
      'Hand them to the sweep: npm run admin -- audit --hours 24 --wake',
      '',
    ]);
    expect(code).toBe(1);
    expect(commands('UpdateCommand')).toEqual([]);
  });

  it('names a stalled bulk replay with the commands that end it or let it go on, and exits with 1', async () => {
    const replay = makeId('bulkReplay', startOfTest - 7 * hour, digest('replay'));
    store([], replay);

    const { code, output } = await audit();
    const { result } = await auditJson();

    expect(output.split('\n').slice(-4)).toEqual([
      'Every pending delivery will continue',
      `Stalled: bulk replay ${replay} of ${webhookId}, without a step since 2026-11-20T05:00:00.500Z. ` +
        `Cancel it with: npm run admin -- replays cancel ${replay} --customer ${customerId}`,
      'Or let those go on whose messages are dead letters: npm run admin -- dead-letters redrive --queue replay',
      '',
    ]);
    expect(code).toBe(1);
    const ids = { customer_id: customerId, webhook_id: webhookId, replay_id: replay };
    expect(result).toMatchObject({
      stalled_replays: [{ ...ids, last_step_at: '2026-11-20T05:00:00.500Z' }],
    });
  });

  it('prints the same as JSON, with the ids of stranded deliveries', async () => {
    store([waiting, stranded, alsoStranded, ...ended]);

    expect(await auditJson()).toEqual({
      code: 1,
      result: {
        from: '2026-11-19T12:00:00.500Z',
        to: '2026-11-20T12:00:00.500Z',
        complete: true,
        deliveries: { pending: 3, delivered: 2, failed: 1 },
        pending: { in_flight: 0, waiting: 1, overdue: 0, queued: 0, stranded: 2 },
        oldest_pending: {
          ...idsOf(waiting),
          created_at: '2026-11-19T16:00:00.500Z',
          age_seconds: 72_000,
        },
        oldest_stranded: {
          ...idsOf(stranded),
          created_at: '2026-11-20T09:55:00.500Z',
          age_seconds: 7_500,
        },
        stranded: [stranded, alsoStranded].map(idsOf),
        woken: 0,
        stalled_replays: [],
      },
    });
  });

  it('exits with 0 when every pending delivery will continue', async () => {
    store([waiting, ...ended]);

    const { code, output } = await audit();

    expect(output).toContain('Oldest stranded: none\n');
    expect(output).toMatch(/\nEvery pending delivery will continue\n$/);
    expect(code).toBe(0);
  });

  it('hands stranded deliveries to the sweep with --wake, a command that repeats --hours, and still exits with 1', async () => {
    store([waiting, stranded, alsoStranded]);

    const looked = await audit('--hours', '3');
    const { code, output } = await audit('--wake');

    expect(looked.output).toContain('npm run admin -- audit --hours 3 --wake\n');

    expect(commands('UpdateCommand')).toMatchObject(
      [stranded, alsoStranded].map(({ sk }) => ({ Key: { pk: partition, sk } })),
    );
    expect(output).toMatch(/\nHanded 2 to the sweep, which runs every five minutes\n$/);
    expect(code).toBe(1);
  });

  it.each([
    ['1.5', startOfTest - 1.5 * hour],
    ['48', startOfTest - 48 * hour],
    ['1e9', 0],
  ])('looks as far back as asked (%s hours), up to this moment', async (hours, from) => {
    store([]);

    const { code, result } = await auditJson('--hours', hours);

    expect(commands('QueryCommand').at(-1)).toMatchObject({
      ExpressionAttributeValues: {
        ':first': firstIdAt('delivery', from),
        ':last': firstIdAt('delivery', startOfTest + 1),
      },
    });
    expect([code, result]).toMatchObject([
      0,
      { from: new Date(from).toISOString(), to: new Date(startOfTest).toISOString() },
    ]);
  });

  it('leaves the environment of the process unchanged', async () => {
    store([]);
    const before = { ...process.env };

    await audit();

    expect({ ...process.env }).toEqual(before);
  });

  it.each([
    ['8 s', 8_000],
    ['3 min 10 s', 3 * minute + 10_000],
    ['1 h 0 min', hour],
  ])('prints an age as %s', async (text, age) => {
    store([pending(age)]);

    expect((await audit()).output).toContain(`, ${text} old\n`);
  });

  it.each(['0', '-1', 'many', ''])('refuses --hours %j', async (hours) => {
    const { code, output } = await audit('--hours', hours);

    expect(output).toContain(
      `'--hours <number>' argument '${hours}' is invalid. Give a number of hours above 0`,
    );
    expect(code).toBe(2);
    expect(operationCommands(table)).toEqual([]);
  });
});
