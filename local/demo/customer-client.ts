import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { StackFile } from '../stack/stack-file.ts';

const webhook = z.object({ id: z.string(), status: z.string(), secret_prefix: z.string() });

const delivery = z.object({
  id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  status: z.string(),
  attempts: z.number(),
  replay_of: z.string().nullable(),
});

const registered = z.object({ webhook, secret: z.string(), test_delivery: delivery });
const rotated = z.object({ webhook, secret: z.string(), overlap_expires_at: z.string() });

const received = z
  .object({
    time: z.string(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body_base64: z.string(),
  })
  .transform(({ time, headers, body_base64 }) => ({
    time,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.from(body_base64, 'base64'),
  }));

export type Received = z.output<typeof received>;
export type DeliveryRecord = z.infer<typeof delivery>;

/** A customer of the stack: calls the API with its key, and looks at what its receiver got. */
export function createCustomerClient(stack: StackFile, customer: StackFile['customers'][number]) {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${stack.api_url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${customer.api_key}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    /** @param receiver path and query below the receiver's origin */
    register: async (receiver: string) =>
      registered.parse(await call('POST', '/v1/webhooks', { url: `${stack.receiver.origin}/${receiver}` })),
    rotate: async (webhookId: string) =>
      rotated.parse(await call('POST', `/v1/webhooks/${webhookId}/rotate`)),
    remove: async (webhookId: string) => {
      await call('DELETE', `/v1/webhooks/${webhookId}`);
    },
    deliveries: async (webhookId: string): Promise<readonly DeliveryRecord[]> => {
      const page = await call('GET', `/v1/webhooks/${webhookId}/deliveries`);
      return z.object({ items: z.array(delivery) }).parse(page).items;
    },
    replay: async (webhookId: string, deliveryId: string) => {
      const answer = await call('POST', `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/replay`);
      return z.object({ delivery }).parse(answer).delivery;
    },
    /** What the receiver of that name got, handshakes left out. */
    inbox: async (name: string): Promise<readonly Received[]> => {
      const response = await fetch(`${stack.receiver.inbox_url}?name=${name}`);
      const all = z.array(received).parse(await response.json());
      return all.filter(({ headers }) => headers['x-service-event-type'] !== 'webhook.test');
    },
  };
}

export type CustomerClient = ReturnType<typeof createCustomerClient>;

/** Looks until there is something to see, every 50 ms. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined>,
  milliseconds = 20_000,
): Promise<T> {
  for (let waited = 0; waited < milliseconds; waited += 50) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await setTimeout(50);
  }
  throw new Error(`Did not see ${what} within ${milliseconds / 1000} s`);
}
