import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  deleteDeadLetter,
  releaseDeadLetters,
  takeDeadLetters,
} from '#shared/aws/queues/dead-letter-queue.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { runAdmin, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();
const { operate, stackFile } = useOperator();

const letter = z.object({
  queue: z.string(),
  id: z.string(),
  subject: z.string().nullable(),
  reason: z.string().nullable(),
});
const listed = z.object({ dead_letters: z.array(letter) });

const left: { readonly customer: StackCustomer; readonly type: string }[] = [];
afterAll(async () => {
  for (const { customer, type } of left) await removeLetters(customer, type);
});

/** The message of this type among the dead letters, once it is there, under another id than the one before. */
function findLetter(
  customer: StackCustomer,
  type: string,
  before?: string,
): Promise<z.output<typeof letter>> {
  return eventually(async () => {
    const { dead_letters } = listed.parse(await operate(customer, 'dead-letters', 'list'));
    return only(dead_letters.filter(({ id, subject }) => subject === type && id !== before));
  });
}

async function removeLetters({ stack: info }: StackCustomer, type: string): Promise<void> {
  const client = new SQSClient({
    endpoint: info.endpoints.sqs,
    region: info.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  const queueUrl = info.intake_dead_letter_queue_url;
  const letters = await takeDeadLetters(client, queueUrl, 30)();
  const matching = letters.filter(({ body }) => body.includes(type));
  for (const one of matching) await deleteDeadLetter(client, queueUrl)(one);
  await releaseDeadLetters(client, queueUrl)(letters.filter((one) => !matching.includes(one)));
  client.destroy();
}

describe('a malformed intake message', () => {
  it('a malformed intake message is in the dead letters with its reason, and returns when it is put back unchanged', async () => {
    const customer = await stack.newCustomer();
    const type = `unheard-of.${customer.id}`;
    left.push({ customer, type });
    await customer.sendToIntake({ type, customer_id: customer.id });

    const found = await findLetter(customer, type);
    const shown = await operate(customer, 'dead-letters', 'show', found.id);
    const printed = await runAdmin(
      'dead-letters',
      'list',
      '--queue',
      'intake',
      '--stack-file',
      await stackFile(customer),
    );
    const redriven = await operate(customer, 'dead-letters', 'redrive', '--id', found.id);
    const again = await findLetter(customer, type, found.id);

    expect(found).toMatchObject({ queue: 'intake', reason: expect.stringMatching(/^type: /) });
    expect(shown).toMatchObject({
      id: found.id,
      reason: found.reason,
      body: JSON.stringify({ type, customer_id: customer.id }),
    });
    expect(printed.output).toContain(found.id);
    expect(redriven).toEqual([
      { queue: 'intake', redriven: [found.id], skipped: 0, more: false, held_elsewhere: 0 },
    ]);
    expect(again).toMatchObject({ queue: 'intake', reason: found.reason });
  });
});

describe('an intake message about a customer that does not exist', () => {
  it('an intake message about an unknown customer is in the dead letters, complete and with its reason', async () => {
    const customer = await stack.newCustomer();
    const nobody = `cus_nobody-${customer.id}`;
    left.push({ customer, type: nobody });
    const tracker = {
      id: 'trk_1',
      kind: 'creator',
      status: 'active',
      created_at: '2026-01-01T00:00:00.000Z',
    };
    const message = { type: 'tracker.saved', customer_id: nobody, tracker };
    await customer.sendToIntake(message);

    const shown = await eventually(async () => {
      const { dead_letters } = listed.parse(await operate(customer, 'dead-letters', 'list'));
      const strangers = dead_letters.filter(({ reason }) => reason === 'unknown_customer');
      const letters = await Promise.all(
        strangers.map(({ id }) => operate(customer, 'dead-letters', 'show', id)),
      );
      return only(letters.filter((one) => JSON.stringify(one).includes(nobody)));
    });

    expect(shown).toMatchObject({
      queue: 'intake',
      reason: 'unknown_customer',
      body: JSON.stringify(message),
    });
  });
});
