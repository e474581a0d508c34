import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { emitProgram } from '../../operator/emit-program.ts';
import { explainFailure } from '../../operator/explain-failure.ts';
import { type Outcome, useOperator } from '../support/stack/operate.ts';
import { queueSize, useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();
const { stackFile } = useOperator();

/** The customer, on a stack file with an intake queue that no function polls and no other test uses. */
async function withOwnIntakeQueue(customer: StackCustomer): Promise<Pick<StackCustomer, 'id' | 'stack'>> {
  const { endpoints, region } = customer.stack;
  const client = new SQSClient({
    endpoint: endpoints.sqs,
    region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: randomUUID() }));
  client.destroy();
  return { id: customer.id, stack: { ...customer.stack, intake_queue_url: QueueUrl } };
}

/** Runs the command within this process, on the customer's stack. */
async function emit(customer: Pick<StackCustomer, 'stack'>, ...args: readonly string[]): Promise<Outcome> {
  let output = '';
  const print = (text: string): void => {
    output += text;
  };
  const program = emitProgram(print).exitOverride().configureOutput({ writeErr: print });
  try {
    await program.parseAsync([...args, '--stack-file', await stackFile(customer)], { from: 'user' });
    return { code: 0, output };
  } catch (error) {
    return { code: 1, output: explainFailure(error) };
  }
}

describe('npm run emit', () => {
  it('lets a Run of a customer settle, which is delivered', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));

    const outcome = await emit(customer, 'run.settled', '--customer', customer.id);

    expect(outcome).toEqual({ code: 0, output: `Sent run.settled for ${customer.id}\n` });
    await expect
      .poll(async () => (await customer.deliveries(webhook.id)).map(({ event_type }) => event_type))
      .toContain('run.completed');
  });

  it('sends nothing for a customer that does not exist, and names the next step', async () => {
    const customer = await withOwnIntakeQueue(await stack.newCustomer());
    const { endpoints, intake_queue_url } = customer.stack;
    await emit(customer, 'run.settled', '--customer', customer.id);

    const outcome = await emit(customer, 'run.settled', '--customer', 'cus_unknown');

    expect(outcome).toEqual({
      code: 1,
      output:
        'Customer cus_unknown not found, so nothing was sent. List customers with: npm run admin -- customers list. ' +
        'Create one with: npm run admin -- customers create --name <text>',
    });
    // The first message, for a customer that exists, shows that this is the queue.
    expect(await queueSize(endpoints.sqs, intake_queue_url)).toEqual({ visible: 1, inFlight: 0 });
  });

  it.each([
    [['--charge', 'abc'], /Give a number/],
    [['--count', '-2'], /Give a whole number/],
    [['--run', '5'], /^Cannot send run\.settled: [^{[]*run_[^{[]*$/],
  ])('explains in one line what is wrong with %j', async (args, line) => {
    const customer = await stack.newCustomer();

    const { code, output } = await emit(customer, 'run.settled', '--customer', customer.id, ...args);

    expect([code, output]).toEqual([1, expect.stringMatching(line)]);
    expect(output.trim().split('\n')).toHaveLength(1);
  });
});
