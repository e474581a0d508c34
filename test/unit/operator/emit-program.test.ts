import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it, vi } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { customerKey } from '#shared/aws/table/keys.ts';
import { dataStackOutputs } from '#shared/contract/deployment.ts';
import { emitProgram } from '../../../tools/operator/emit/emit-program.ts';
import { settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { useMock } from '../../support/aws/aws-mocks.ts';
import { runCommand } from '../../support/stack/operate.ts';
import { acknowledgedAttempt, buildDelivery, customerId, eventId, startOfTest } from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();
const stacks = useMock(CloudFormationClient);

const delivered = { status: 'delivered', attempts: 1, endedAt: startOfTest } as const;
const delivery = buildDelivery({ ...delivered, log: [acknowledgedAttempt] });

/** A deployed stage with one customer, whose Runs all have the same event. */
beforeEach(() => {
  const Outputs = Object.entries(dataStackOutputs).map(([name, OutputKey]) => {
    const OutputValue = name === 'tableName' ? settings.TABLE_NAME : settings.INTAKE_QUEUE_URL;
    return { OutputKey, OutputValue };
  });
  const stack = { StackName: 'webhooks-prod-data', CreationTime: undefined, StackStatus: undefined };
  stacks.on(DescribeStacksCommand).resolves({ Stacks: [{ ...stack, Outputs }] });
  const deliveries = [{ webhookId: delivery.webhookId, deliveryId: delivery.id }];
  const fan_out = { eventId, acceptedAt: startOfTest, deliveries };
  const item = toDeliveryItem(delivery);
  const customer = { ...customerKey(customerId), id: customerId, name: 'A', created_at: startOfTest };
  table.on(GetCommand).callsFake(({ Key: { pk } }) => {
    if (pk === 'CUS#cus_unknown') return {};
    if (pk === item.pk) return { Item: item };
    return pk.startsWith(`RUN#${customerId}#`) ? { Item: { fan_out } } : { Item: customer };
  });
});

it('npm run emit -- --stage waits on a deployed stage with reads of its table alone, and sends nothing for an unknown customer', async () => {
  queues.on(SendMessageBatchCommand).resolves({});

  const args = ['run.settled', '--customer', customerId, '--run', 'run_1', '--wait', '--stage', 'prod'];
  const { code, output } = await runCommand(emitProgram, args);

  const row = `${delivery.id}  ${delivery.webhookId}  delivered  1         after 1000 ms  200\n`;
  expect(output).toContain(row);
  expect(output).toContain('\nRun run_1 already had its event, so this message makes no other\n');
  expect(code).toBe(0);
  expect(await runCommand(emitProgram, args.with(2, 'cus_unknown'))).toEqual({
    code: 1,
    output:
      'Customer cus_unknown not found, so nothing was sent. List customers with: npm run admin -- customers list --stage prod. ' +
      'Create one with: npm run admin -- customers create --name <text> --stage prod',
  });
  expect(queues.commandCalls(SendMessageBatchCommand)).toHaveLength(1);
  expect(new Set(table.calls().map(({ args: [command] }) => command.constructor.name))).toEqual(
    new Set(['GetCommand']),
  );
});

const many = ['run.settled', '--customer', customerId, '--stage', 'prod', '--repeat', '25', '--rate', '100'];

/** Each request takes 200 ms. */
const takeMessages = () =>
  queues.on(SendMessageBatchCommand).callsFake(() => {
    vi.setSystemTime(Date.now() + 200);
    return {};
  });

it('npm run emit -- --repeat sends what is due in requests of ten, and sums up the deliveries', async () => {
  takeMessages();

  const { code, output } = await runCommand(emitProgram, [...many.with(8, '60'), '--wait', '--json']);

  const requests = queues.commandCalls(SendMessageBatchCommand).map(({ args: [{ input }] }) => input);
  const entries = requests.flatMap(({ Entries = [] }) => Entries);
  expect(requests.map(({ Entries }) => Entries?.length)).toEqual([1, 10, 2, 10, 2]);
  expect(new Set(entries.map(({ MessageBody }) => MessageBody)).size).toBe(25);
  expect(new Set(entries.map(({ MessageGroupId }) => MessageGroupId))).toEqual(new Set([customerId]));
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual({
    ...{ sent: 25, duration_ms: 1_000, accepted: 25, delivered: 25, failed: 0, pending: 0 },
    first_post_ms: { p50: 1000, p99: 1000 },
  });
});

it('npm run emit -- --repeat names the command that finds the deliveries that failed', async () => {
  const failed = toDeliveryItem(buildDelivery({ status: 'failed', attempts: 3, endedAt: startOfTest }));
  table.on(GetCommand, { Key: { pk: failed.pk } }, false).resolves({ Item: failed });
  queues.on(SendMessageBatchCommand).resolves({});

  const print = vi.fn();
  await runCommand(() => emitProgram(print), [...many.with(6, '1'), '--wait']);

  const find = `deliveries find --customer ${customerId} --status failed --since 1h --stage prod`;
  expect(print).toHaveBeenCalledWith(expect.stringContaining(`\nNext: npm run admin -- ${find}\n`));
});

const sentBodies = () =>
  queues
    .commandCalls(SendMessageBatchCommand)
    .flatMap(({ args: [{ input }] }) => input.Entries?.map(({ MessageBody }) => MessageBody) ?? []);

it.each([
  [false, 3],
  [true, 1],
])(
  'npm run emit -- --repeat ends when the queue takes no more, and says how many were sent and how to go on: %j',
  async (SenderFault, tries) => {
    const Failed = [{ Id: '0', Code: 'Throttled', Message: 'Slow down', SenderFault }];
    queues.on(SendMessageBatchCommand).resolves({ Failed });

    expect(await runCommand(emitProgram, [...many, '--run', 'run_1'])).toEqual({
      code: 1,
      output:
        'Sent 0 of 25 messages, then the queue took no more: Throttled: Slow down. ' +
        'The same command with --run run_1 sends the rest, and makes no event twice',
    });
    expect(sentBodies()).toHaveLength(tries);
    expect(new Set(sentBodies()).size).toBe(1);
  },
);

it.each(['run.settled', 'change_report.written'])(
  'npm run emit -- --repeat --run sends %s about the same things whenever it runs',
  async (type) => {
    takeMessages();
    const ids = () => sentBodies().flatMap((body = '') => body.match(/"(run|trk|chg)_[\w-]+"/g) ?? []);

    await runCommand(emitProgram, [type, ...many.slice(1).with(5, '2'), '--run', 'run_X']);
    const first = ids();
    await runCommand(emitProgram, [type, ...many.slice(1).with(5, '2'), '--run', 'run_X']);

    expect(first).toEqual(expect.arrayContaining(['"run_X-1"', '"run_X-2"']));
    expect(ids()).toEqual([...first, ...first]);
  },
);

it('npm run emit sends a message again whose answer was lost, and says what is known when all were lost', async () => {
  const lost = Object.assign(new Error('the request socket timed out'), { name: 'TimeoutError' });
  const args = ['run.settled', '--customer', customerId, '--stage', 'prod', '--run', 'run_1'];
  queues.on(SendMessageBatchCommand).rejectsOnce(lost).resolves({});
  expect((await runCommand(emitProgram, args)).code).toBe(0);
  queues.on(SendMessageBatchCommand).rejects(lost);

  expect(await runCommand(emitProgram, args)).toEqual({
    code: 1,
    output:
      'It is not known whether the message was sent: A request was not answered in time: check the network and what was done, ' +
      'then run the command again. The same command with --run run_1 sends it again, and makes no second event',
  });
});

it.each([
  ['run.settled --charge abc', "'--charge <usd>' argument 'abc' is invalid. Expected an amount in US dollars"],
  ['run.settled --count -2', "argument '-2' is invalid. Expected a whole number from 0 to 1000"],
  ['run.settled --run 5', "'--run <id>' argument '5' is invalid. Expected the id of a Run: run_ and then"],
  ['run.settled --tracker run_1', 'Expected the id of a Tracker: trk_ and then letters'],
  ['run.settled --kind=', 'Expected 1 to 64 characters'],
  ['run.settled --platform a#b', 'Expected up to 32 letters'],
  ['run.settled --handle @', 'Expected the name of an account'],
  ['run.settled --wait 0', 'Expected a number of seconds above 0'],
  ['run.settled --repeat 10001', 'Expected a whole number from 1 to 10000'],
  ['run.settled --repeat 2 --rate 101', 'Expected a whole number from 1 to 100'],
  ['run.saved --status failed', 'run.saved has no --status: it takes --run, --kind, --tracker'],
  ['run.settled --count 5', 'run.settled has no --count: it takes --run, --kind, --tracker, --status, --charge'],
  ['creator_videos.saved --charge 3 --run run_1', 'has no --run: it takes --platform, --handle, --count; creator_vid'],
  ['run.saved --wait', 'run.saved makes no event, so there is nothing to wait for: omit --wait, or send run.'],
])('npm run emit explains in one line what is wrong with %s, and sends nothing', async (command, reason) => {
  const args = [...command.split(' '), '--customer', customerId, '--stage', 'prod'];

  const { code, output } = await runCommand(emitProgram, args);

  expect([code, output]).toEqual([2, expect.stringContaining(reason)]);
  expect(output).not.toContain('\n');
  expect(queues.calls()).toEqual([]);
});
