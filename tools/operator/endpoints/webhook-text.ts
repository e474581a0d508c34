import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { timestampOrNull } from '#shared/contract/timestamp.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { factLines, recordTable } from '../cli/text-table.ts';

/** An endpoint as JSON: as in the API, with its customer and what the operator can change. */
export function webhookJson(endpoint: Endpoint, now: number) {
  return {
    ...presentWebhook(endpoint, now),
    customer_id: endpoint.customerId,
    delivery_partitions: endpoint.deliveryPartitions,
    slow_since: timestampOrNull(endpoint.slowSince),
  };
}

type WebhookJson = ReturnType<typeof webhookJson>;

/** A table of endpoints. */
export function webhookTable(webhooks: readonly WebhookJson[]): readonly string[] {
  return recordTable(webhooks, {
    ENDPOINT: ({ id }) => id,
    STATUS: ({ status }) => status,
    CREATED: ({ created_at }) => created_at,
    'LAST ATTEMPT': ({ last_delivery_at }) => last_delivery_at,
    URL: ({ url }) => url,
    DESCRIPTION: ({ description }) => description,
  });
}

/** An endpoint in full. */
export function webhookLines(webhook: WebhookJson): readonly string[] {
  const { secret_prefix: secret, previous_secret_expires_at: oldSecretEnds } = webhook;
  const facts = {
    Customer: webhook.customer_id,
    URL: webhook.url,
    Description: webhook.description || null,
    Secret: secret === '' ? null : `${secret}…`,
    'Old secret': oldSecretEnds && `valid until ${oldSecretEnds}`,
    Created: webhook.created_at,
    Activated: webhook.activated_at,
    'Last attempt': webhook.last_delivery_at,
    'Slow since': webhook.slow_since,
    Partitions: webhook.delivery_partitions,
  };
  return [`Endpoint ${webhook.id}: ${webhook.status}`, ...factLines(facts, 14)];
}
