import type { SeededCustomer, StackFile } from '../../tools/local/stack/stack-file.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { type Habit, type Receivers, receiverPath } from './receivers.ts';

/** An endpoint that a customer registered. */
export type TestEndpoint = {
  readonly customer: SeededCustomer;
  readonly webhookId: string;
  /** Path of its receiver. */
  readonly path: string;
  /** It gets the events that were first sent after this time; epoch milliseconds. */
  readonly registeredAt: number;
};

/** Registers one endpoint of each customer for each of its habits, in order. */
export async function registerEndpoints(
  info: StackFile,
  receivers: Receivers,
  habits: readonly (readonly Habit[])[],
  customers: readonly SeededCustomer[] = info.customers,
): Promise<readonly TestEndpoint[]> {
  const made: TestEndpoint[] = [];
  for (const [number, customer] of customers.entries()) {
    const client = new StackCustomer(info, customer);
    for (const [index, habit] of (habits[number] ?? []).entries()) {
      const path = receiverPath(habit, `${customer.id}-${index}`);
      const { webhook } = await client.register(receivers.origin + path);
      if (webhook.status !== 'active') throw new Error(`The handshake with ${path} failed`);
      made.push({ customer, webhookId: webhook.id, path, registeredAt: Date.now() });
    }
  }
  return made;
}
