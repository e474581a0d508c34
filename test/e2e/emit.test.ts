import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { emitProgram } from '../../operator/emit-program.ts';
import { type Outcome, runCommand, useOperator } from '../support/stack/operate.ts';
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
  return await runCommand(emitProgram, [...args, '--stack-file', await stackFile(customer)]);
}

describe('npm run emit', () => {
  it('lets a Run of a customer settle, which is delivered', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));

    const outcome = await emit(customer, 'run.settled', '--customer', customer.id);

    expect(outcome).toEqual({
      code: 0,
      output: expect.stringMatching(new RegExp(`^Sent run\\.settled for ${customer.id}: Run run_\\w+\n$`)),
    });
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
    const customer = await stack.newCustomer();

    const { code, output } = await emit(customer, 'run.settled', '--customer', customer.id, ...args);

    expect([code, output]).toEqual([2, expect.stringContaining(reason)]);
    expect(output.trim().split('\n')).toHaveLength(1);
  });
});

describe('npm run emit -- --wait', () => {
  it('prints one line for each delivery, with the time of its first POST, once all have ended', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('one'));
    const { webhook: other } = await customer.register(customer.receiver('two', '?fail_first=1'));

    const { code, output } = await emit(customer, 'run.settled', '--customer', customer.id, '--wait');

    const [sent, event, head, ...rows] = output.trimEnd().split('\n');
    expect(sent).toMatch(/^Sent run\.settled for cus_\w+: Run run_\w+$/);
    expect(event).toMatch(/^Event evt_\w+, accepted at 20\S+Z$/);
    expect(head).toMatch(/^DELIVERY +ENDPOINT +STATUS +ATTEMPTS +FIRST POST +RESPONSE$/);
    expect(rows.toSorted((one, two) => one.slice(30).localeCompare(two.slice(30)))).toEqual([
      expect.stringMatching(new RegExp(`^whd_\\w+ +${webhook.id} +delivered +1 +after \\d+ ms +200$`)),
      expect.stringMatching(new RegExp(`^whd_\\w+ +${other.id} +delivered +2 +after \\d+ ms +200$`)),
    ]);
    expect(code).toBe(0);
  });

  it('ends with 1 when a delivery failed, and says why it failed', async () => {
    const customer = await stack.newCustomer();
    await customer.register(customer.receiver('refuses', '?status=503'));
    await customer.register(customer.receiver('accepts'));

    const { printed, error, code } = await emitApart(customer, 'change_report.written', '--wait', '60');

    expect(printed).toMatch(/ failed +3 +after \d+ ms +503$/m);
    expect(printed).toMatch(/ delivered +1 +after \d+ ms +200$/m);
    expect(printed).toMatch(
      /^whd_\w+: The receiver responded with status 503\. Look for the error in the log of the receiver or of its proxy$/m,
    );
    expect([code, error]).toEqual([1, '1 of 2 deliveries failed']);
  });

  it('ends with 1 when the wait ends first, and says so', async () => {
    const customer = await stack.newCustomer();
    await customer.register(customer.receiver('slow', '?delay_ms=3000'));

    const { printed, error, code } = await emitApart(customer, 'run.settled', '--wait', '0.5');

    expect(printed).toMatch(/ pending +[01] +- +-$/m);
    expect([code, error]).toEqual([1, 'The wait of 0.5 s ended while 1 of 1 deliveries was pending']);
  });

  it('ends with 1 when the message was not accepted in time', async () => {
    const customer = await withOwnIntakeQueue(await stack.newCustomer());

    const { error, code } = await emitApart(customer, 'run.settled', '--wait', '0.2');

    expect([code, error]).toEqual([
      1,
      'The wait of 0.2 s ended before the intake accepted the message. If it was refused, it is here: npm run admin -- dead-letters list',
    ]);
  });

  it('says when nobody receives the event, and when the Run had its event before', async () => {
    const customer = await stack.newCustomer();
    const args = ['run.settled', '--customer', customer.id, '--run', 'run_42', '--wait'];

    const first = await emit(customer, ...args);
    const again = await emit(customer, ...args);

    expect([first.code, again.code]).toEqual([0, 0]);
    expect(first.output).toContain('The customer has no active endpoint, so the event has no deliveries\n');
    expect(first.output).not.toContain('already');
    expect(again.output).toContain('\nRun run_42 already had its event, so this message makes no other\n');
  });

  it('prints one line of JSON with the message and the outcome', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('json'));

    const { output } = await emit(customer, 'run.settled', '--customer', customer.id, '--wait', '--json');

    expect(JSON.parse(output)).toEqual({
      message: expect.objectContaining({ type: 'run.settled', customer_id: customer.id }),
      event: { id: expect.stringMatching(/^evt_/), accepted_at: expect.stringMatching(/Z$/) },
      deliveries: [
        {
          id: expect.stringMatching(/^whd_/),
          webhook_id: webhook.id,
          status: 'delivered',
          attempts: 1,
          first_post_ms: expect.any(Number),
          response_status: 200,
          error: null,
          next_attempt_at: null,
        },
      ],
    });
  });

  it('refuses to wait for a message that makes no event, and sends nothing', async () => {
    const customer = await withOwnIntakeQueue(await stack.newCustomer());

    const outcome = await emit(customer, 'run.saved', '--customer', customer.id, '--wait');

    expect(outcome).toEqual({
      code: 2,
      output:
        'run.saved makes no event, so there is nothing to wait for: omit --wait, or send run.settled or change_report.written',
    });
    const { endpoints, intake_queue_url } = customer.stack;
    expect(await queueSize(endpoints.sqs, intake_queue_url)).toEqual({ visible: 0, inFlight: 0 });
  });
});

/** Like `emit`, with the output and the error apart. */
async function emitApart(
  customer: Pick<StackCustomer, 'id' | 'stack'>,
  type: string,
  ...args: readonly string[]
) {
  let printed = '';
  const file = await stackFile(customer);
  const program = () =>
    emitProgram((text) => {
      printed += text;
    });
  const all = [type, '--customer', customer.id, ...args, '--stack-file', file];
  const { code, output } = await runCommand(program, all);
  return { printed, error: output, code };
}
