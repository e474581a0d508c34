import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventually, only } from '../support/stack/eventually.ts';
import { useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();
const { operate } = useOperator();

const listed = z.object({
  dead_letters: z.array(
    z.object({
      queue: z.string(),
      id: z.string(),
      subject: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
});

/** The message of this type among the dead letters, once it is there, under another id than the one before. */
function findLetter(customer: StackCustomer, type: string, before?: string) {
  return eventually(async () => {
    const { dead_letters } = listed.parse(await operate(customer, 'dead-letters', 'list'));
    return only(dead_letters.filter((letter) => letter.subject === type && letter.id !== before));
  });
}

describe('a message that the intake cannot accept', () => {
  it('a malformed intake message is in the dead letters with its reason, and returns when it is put back unchanged', async () => {
    const customer = await stack.newCustomer();
    const message = { type: `unheard-of.${customer.id}`, customer_id: customer.id };
    await customer.sendToIntake(message);

    const found = await findLetter(customer, message.type);
    const shown = await operate(customer, 'dead-letters', 'show', found.id);
    const redriven = await operate(customer, 'dead-letters', 'redrive', '--id', found.id);
    const again = await findLetter(customer, message.type, found.id);
    await operate(customer, 'dead-letters', 'delete', again.id);

    expect(found).toMatchObject({ queue: 'intake', reason: expect.stringMatching(/^type: /) });
    expect(shown).toMatchObject({ id: found.id, reason: found.reason, body: JSON.stringify(message) });
    expect(redriven).toEqual([
      { queue: 'intake', redriven: [found.id], skipped: 0, more: false, held_elsewhere: 0 },
    ]);
    expect(again).toMatchObject({ queue: 'intake', reason: found.reason });
  });
});
