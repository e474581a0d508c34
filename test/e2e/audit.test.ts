import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { deliveryKey } from '#shared/aws/table/keys.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { runAdmin, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { buildDelivery } from '../support/values/builders.ts';

const stack = useStack();
const { stackFile } = useOperator();

const hour = 60 * 60_000;

const ids = z.object({ customer_id: z.string(), webhook_id: z.string(), delivery_id: z.string() });
const printed = z.object({
  complete: z.boolean(),
  deliveries: z.object({ delivered: z.number() }),
  pending: z.object({ stranded: z.number() }),
  oldest_stranded: ids.extend({ age_seconds: z.number() }).nullable(),
  stranded: z.array(ids),
  woken: z.number(),
});

/** Runs the audit, as others use the stack too: what is stranded of this customer. */
async function audit(customer: StackCustomer, ...args: readonly string[]) {
  const { code, output } = await runAdmin(
    'audit',
    '--json',
    ...args,
    '--stack-file',
    await stackFile(customer),
  );
  const found = printed.parse(JSON.parse(output));
  const ours = found.stranded.filter(({ customer_id }) => customer_id === customer.id);
  return { code, found, ours };
}

/** Stores a delivery as it is left when its only message is lost. */
async function strand(customer: StackCustomer, webhookId: string, age: number): Promise<Delivery> {
  const id = deliveryId(Date.now() - age, digest(customer.id, String(age)), 1);
  const delivery = buildDelivery({ id, customerId: customer.id, webhookId });
  return await storeDelivery(stack.table())(delivery, null);
}

describe('npm run admin -- audit', () => {
  it('finds no stranded delivery of a customer whose events arrived', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    await customer.settleRun();
    await customer.endedDelivery(webhook.id);

    const { code, found, ours } = await audit(customer);

    expect(ours).toEqual([]);
    expect(found.complete).toBe(true);
    expect(found.deliveries.delivered).toBeGreaterThanOrEqual(2);
    expect(code).toBe(found.pending.stranded === 0 ? 0 : 1);
  });

  it('finds a delivery without a message and wakes it, and it is delivered', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    const stored = Date.now();
    // Too old for the hourly audit, which would come first otherwise.
    const { id } = await strand(customer, webhook.id, 12 * hour);
    const stranded = { customer_id: customer.id, webhook_id: webhook.id, delivery_id: id };

    const before = await audit(customer);
    const latest = Math.ceil((Date.now() - stored) / 1_000);
    const untouched = await customer.inbox('hooks');
    const waking = await audit(customer, '--wake');

    expect(before).toMatchObject({ code: 1, ours: [stranded], found: { woken: 0 } });
    expect(before.found.oldest_stranded).toMatchObject(stranded);
    const lateBy = (before.found.oldest_stranded?.age_seconds ?? Number.NaN) - 12 * 3600;
    expect(lateBy).toBeGreaterThanOrEqual(0);
    expect(lateBy).toBeLessThanOrEqual(latest);
    expect(untouched).toHaveLength(1);
    expect(waking).toMatchObject({ code: 1, ours: [stranded], found: { woken: 1 } });
    expect(await customer.endedDelivery(webhook.id)).toMatchObject({ id, status: 'delivered', attempts: 1 });
    expect(only(await customer.received('hooks', 1)).body.toString()).toBe(buildDelivery().body);
    expect((await audit(customer)).ours).toEqual([]);
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

  it('the hourly audit finds a delivery of a deleted endpoint, and it ends without a POST', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    await customer.remove(webhook.id);

    const delivery = await strand(customer, webhook.id, 7 * hour);

    await eventually(async () => {
      const { Item } = z
        .object({ Item: z.object({ status: z.object({ S: z.string() }) }) })
        .parse(await stack.onTable('GetItem', { Key: keyOf(delivery) }));
      expect(Item.status.S).toBe('failed');
    });
    expect(await customer.inbox('hooks')).toHaveLength(1);
  });
});

function keyOf(delivery: Delivery) {
  const { pk, sk } = deliveryKey(delivery);
  return { pk: { S: pk }, sk: { S: sk } };
}
