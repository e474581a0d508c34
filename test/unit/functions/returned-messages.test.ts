import { ChangeMessageVisibilityBatchCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { settings, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { buildSqsEvent, captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { customerId, deliveryIdNumber, webhookId } from '../../support/values/builders.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';

const { queues } = useFunctionClients();

const owner = { customer_id: customerId, webhook_id: webhookId };
const attempt = { ...owner, delivery_id: deliveryIdNumber(1), attempt: 1 };
const step = { ...owner, replay_id: 'rpl_01KDVDRN00000000000000000A', step: 1 };

// test/infra/recorded/alarms.txt has the alarms that watch these ages: no test of a template sees who publishes them.
it.each([
  ['intake', 'intake', settings.INTAKE_QUEUE_URL, intakeExamples['run.saved']],
  ['deliver', 'delivery', settings.DELIVERY_QUEUE_URL, attempt],
  ['deliver-slow', 'slow_delivery', settings.SLOW_DELIVERY_QUEUE_URL, attempt],
  ['replay', 'replay', settings.REPLAY_QUEUE_URL, step],
])(
  'while the table is down, %s returns a message to its queue, and its age is that of %s',
  async (name, queue, url, message) => {
    const { handler } = await import(`../../../functions/queue/${name}/handler.ts`);
    queues.on(ChangeMessageVisibilityBatchCommand).resolves({});
    const output = captureOutput();

    expect(await handler(buildSqsEvent(message), lambdaContext)).toMatchObject({ batchItemFailures: [{}] });

    const [returned] = queues.commandCalls(ChangeMessageVisibilityBatchCommand);
    expect(returned?.args[0].input.QueueUrl).toBe(url);
    const data = output()
      .trim()
      .split('\n')
      .flatMap((line) => readEmbedded(line).data);
    expect(data.filter((each) => each.name === 'OldestReturnedAge')).toMatchObject([
      { dimensions: { stage: 'test', queue } },
    ]);
  },
);
