import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { emitProgram } from '../../operator/emit-program.ts';
import { runCommand, useOperator } from '../support/stack/operate.ts';
import { queueSize, useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();
const { stackFile } = useOperator();

/** The customer, on a stack file with an intake queue that no function polls and no other test uses. */
async function withOwnIntakeQueue(customer: StackCustomer): Promise<Listener> {
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

type Listener = Pick<StackCustomer, 'id' | 'stack'>;

/** Runs the command within this process, on the customer's stack, with the output and the error apart. */
async function emit(customer: Listener, type: string, ...args: readonly string[]) {
  let printed = '';
  const make = () =>
    emitProgram((text) => {
      printed += text;
    });
  const file = await stackFile(customer);
  const { code, output: error } = await runCommand(make, [
    ...[type, '--customer', customer.id, ...args],
    ...['--stack-file', file],
  ]);
  return { code, printed, error };
}

describe('npm run emit', () => {
  it('sends nothing for a customer that does not exist, and names the next step', async () => {
    const customer = await withOwnIntakeQueue(await stack.newCustomer());
    const { endpoints, intake_queue_url } = customer.stack;
    await emit(customer, 'run.settled');

    const outcome = await emit({ ...customer, id: 'cus_unknown' }, 'run.settled');

    expect(outcome).toEqual({
      code: 1,
      printed: '',
      error:
        'Customer cus_unknown not found, so nothing was sent. List customers with: npm run admin -- customers list. ' +
        'Create one with: npm run admin -- customers create --name <text>',
    });
    // The first message, for a customer that exists, shows that this is the queue.
    expect(await queueSize(endpoints.sqs, intake_queue_url)).toEqual({ visible: 1, inFlight: 0 });
  });
});

describe('npm run emit -- --wait', () => {
  it('prints one line for each delivery, with the time of its first POST, once all have ended', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('one'));
    const { webhook: other } = await customer.register(customer.receiver('two', '?fail_first=1'));

    const { code, printed } = await emit(customer, 'run.settled', '--wait');

    const [sent, event, head, ...rows] = printed.trimEnd().split('\n');
    expect(sent).toMatch(new RegExp(`^Sent run\\.settled for ${customer.id}: Run run_\\w+$`));
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

    const { printed, error, code } = await emit(customer, 'change_report.written', '--wait');

    expect(printed).toMatch(/ failed +3 +after \d+ ms +503$/m);
    expect(printed).toMatch(/ delivered +1 +after \d+ ms +200$/m);
    expect(printed).toMatch(
      /^whd_\w+: The receiver responded with status 503\. Look for the error in the log of the receiver or of its proxy$/m,
    );
    expect([code, error]).toEqual([1, '1 of 2 deliveries failed']);
  });

  it('ends with 1 when the message was not accepted in time', async () => {
    const customer = await withOwnIntakeQueue(await stack.newCustomer());

    const { error, code } = await emit(customer, 'run.settled', '--wait', '0.2');

    expect([code, error]).toEqual([
      1,
      'The wait of 0.2 s ended before the intake accepted the message. If it was refused, it is here: npm run admin -- dead-letters list',
    ]);
  });

  it('says when nobody receives the event, and when the Run had its event before', async () => {
    const customer = await stack.newCustomer();
    const args = ['run.settled', '--run', 'run_42', '--wait'] as const;

    const first = await emit(customer, ...args);
    const again = await emit(customer, ...args);

    expect([first.code, again.code]).toEqual([0, 0]);
    expect(first.printed).toContain('The customer has no active endpoint, so the event has no deliveries\n');
    expect(first.printed).not.toContain('already');
    expect(again.printed).toContain('\nRun run_42 already had its event, so this message makes no other\n');
  });

  it('prints one line of JSON with the message and the outcome', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('json'));

    const { printed } = await emit(customer, 'run.settled', '--wait', '--json');

    expect(JSON.parse(printed)).toEqual({
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
});
