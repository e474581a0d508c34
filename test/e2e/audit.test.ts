import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { only } from '../support/stack/eventually.ts';
import { runAdmin, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { buildDelivery } from '../support/values/builders.ts';

const stack = useStack();
const { stackFile } = useOperator();

const hour = 60 * 60_000;

const ids = z.object({ customer_id: z.string(), webhook_id: z.string(), delivery_id: z.string() });
const printed = z.object({
  oldest_stranded: ids.nullable(),
  stranded: z.array(ids),
  requeued: z.number(),
});

/** Runs the audit, as others use the stack too: what is stranded of this customer. */
async function audit(customer: StackCustomer, ...args: readonly string[]) {
  const file = await stackFile(customer);
  const { code, output } = await runAdmin('audit', '--json', ...args, '--stack-file', file);
  const found = printed.parse(JSON.parse(output));
  const ours = found.stranded.filter(({ customer_id }) => customer_id === customer.id);
  return { code, found, ours };
}

/** Stores a delivery as it is left when its only message is lost. */
async function strand(customer: StackCustomer, webhookId: string, age: number): Promise<Delivery> {
  const id = deliveryId(Date.now() - age, digest(customer.id, String(age)), 1);
  const delivery = buildDelivery({ id, customerId: customer.id, webhookId });
  return await storeDelivery(stack.table(), delivery, null);
}

describe('npm run admin -- audit', () => {
  it('finds a delivery without a message and wakes it, and it is delivered', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    // Too old for the hourly audit and for commands of other tests, which would come first otherwise.
    const { id } = await strand(customer, webhook.id, 80 * hour);
    const stranded = { customer_id: customer.id, webhook_id: webhook.id, delivery_id: id };

    const before = await audit(customer, '--hours', '90');
    const untouched = await customer.inbox('hooks');
    const waking = await audit(customer, '--hours', '90', '--wake');

    expect(before).toMatchObject({
      code: 1,
      ours: [stranded],
      found: { oldest_stranded: stranded, requeued: 0 },
    });
    expect(untouched).toHaveLength(1);
    expect(waking).toMatchObject({ code: 1, ours: [stranded] });
    expect(await customer.endedDelivery(webhook.id)).toMatchObject({ id, status: 'delivered', attempts: 1 });
    expect(only(await customer.received('hooks', 1)).body.toString()).toBe(buildDelivery().body);
    expect((await audit(customer, '--hours', '90')).ours).toEqual([]);
  });
});

describe('the hourly audit', () => {
  it('the hourly audit wakes a delivery without a message, and it is delivered', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));

    const { id } = await strand(customer, webhook.id, 7 * hour);

    const ended = await customer.endedDelivery(webhook.id);
    expect(ended).toMatchObject({ id, status: 'delivered', attempts: 1 });
    expect(await customer.received('hooks', 1)).toHaveLength(1);
  });
});
