import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { toDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { dataStackOutputs } from '#shared/contract/deployment.ts';
import { emitProgram } from '../../../operator/emit-program.ts';
import { settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { runCommand } from '../../support/stack/operate.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  customerId,
  eventId,
  startOfTest,
} from '../../support/values/builders.ts';

const { table, queues } = useFunctionClients();
const stacks = mockClient(CloudFormationClient);

describe('npm run emit -- --stage', () => {
  it('waits on a deployed stage with reads of its table alone', async () => {
    const Outputs = Object.entries(dataStackOutputs).map(([name, OutputKey]) => {
      const OutputValue = name === 'tableName' ? settings.TABLE_NAME : settings.INTAKE_QUEUE_URL;
      return { OutputKey, OutputValue };
    });
    const stack = { StackName: 'webhooks-prod-data', CreationTime: undefined, StackStatus: undefined };
    stacks.on(DescribeStacksCommand).resolves({ Stacks: [{ ...stack, Outputs }] });
    queues.on(SendMessageCommand).resolves({});
    const delivery = buildDelivery({
      status: 'delivered',
      attempts: 1,
      endedAt: startOfTest,
      log: [acknowledgedAttempt],
    });
    const fan_out = {
      eventId,
      acceptedAt: startOfTest,
      deliveries: [{ webhookId: delivery.webhookId, deliveryId: delivery.id }],
    };
    const item = toDeliveryItem(delivery);
    const customer = {
      pk: `CUS#${customerId}`,
      sk: 'CUSTOMER',
      id: customerId,
      name: 'A',
      created_at: startOfTest,
    };
    table.on(GetCommand).callsFake(({ Key: { pk } }) => {
      if (pk === item.pk) return { Item: item };
      return pk === `RUN#${customerId}#run_1` ? { Item: { fan_out } } : { Item: customer };
    });

    const args = ['run.settled', '--customer', customerId, '--run', 'run_1', '--wait', '--stage', 'prod'];
    const { code, output } = await runCommand(emitProgram, args);

    expect(output).toContain(
      `${delivery.id}  ${delivery.webhookId}  delivered  1         after 1000 ms  200\n`,
    );
    expect(code).toBe(0);
    expect(queues.commandCalls(SendMessageCommand)).toHaveLength(1);
    expect(new Set(table.calls().map(({ args: [command] }) => command.constructor.name))).toEqual(
      new Set(['GetCommand']),
    );
  });
});

describe('npm run emit', () => {
  it.each([
    [
      ['--charge', 'abc'],
      "'--charge <usd>' argument 'abc' is invalid. Expected an amount in US dollars, 0 or more",
    ],
    [['--count', '-2'], "'--count <n>' argument '-2' is invalid. Expected a whole number from 0 to 1000"],
    [['--run', '5'], "'--run <id>' argument '5' is invalid. Expected the id of a Run: run_ and then letters"],
    [['--tracker', 'run_1'], 'Expected the id of a Tracker: trk_ and then letters'],
    [['--kind', ''], 'Expected 1 to 64 characters'],
    [['--platform', 'a#b'], 'Expected up to 32 letters'],
    [['--handle', '@'], 'Expected the name of an account'],
    [['--wait', '0'], 'Expected a number of seconds above 0'],
  ])('explains in one line what is wrong with %j', async (args, reason) => {
    const { code, output } = await runCommand(emitProgram, [
      'run.settled',
      '--customer',
      customerId,
      ...args,
    ]);

    expect([code, output.split('\n')]).toEqual([2, [expect.stringContaining(reason)]]);
  });
});
