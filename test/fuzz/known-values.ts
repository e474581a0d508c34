import * as z from 'zod';
import type { StackFile } from '../../local/stack-file.ts';
import type { Known } from './requests.ts';

const registered = z.object({
  webhook: z.object({ id: z.string() }),
  test_delivery: z.object({ id: z.string() }),
});

/** Makes an endpoint for each customer, and tells by which path what belongs to it is found. */
export async function knownValues(stack: StackFile, apiKeys: readonly string[]): Promise<Known> {
  const made = await Promise.all(apiKeys.map((key) => register(stack, key)));
  return {
    '/v1/webhooks/{id}': made.map(({ webhook }) => webhook.id),
    '/v1/webhooks/{id}/deliveries/{deliveryId}': made.map(({ test_delivery }) => test_delivery.id),
    '/docs/errors/{code}': apiKeys.map(() => 'not_found'),
  };
}

async function register(stack: StackFile, apiKey: string): Promise<z.infer<typeof registered>> {
  const response = await fetch(`${stack.api_url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${stack.receiver.origin}/fuzz` }),
  });
  return registered.parse(await response.json());
}
