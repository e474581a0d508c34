import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { timestampOrNull } from '#shared/contract/timestamp.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { plainText, textTable } from '../cli/text-table.ts';

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
  return textTable(
    ['ENDPOINT', 'STATUS', 'CREATED', 'LAST ATTEMPT', 'URL', 'DESCRIPTION'],
    webhooks.map(({ id, status, created_at, last_delivery_at, url, description }) => [
      id,
      status,
      created_at,
      last_delivery_at,
      url,
      description,
    ]),
  );
}

/** An endpoint in full. */
export function webhookLines(webhook: WebhookJson): readonly string[] {
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Customer', webhook.customer_id],
    ['URL', webhook.url],
    ['Description', webhook.description || null],
    ['Secret', webhook.secret_prefix === '' ? null : `${webhook.secret_prefix}…`],
    ['Old secret', webhook.previous_secret_expires_at && `valid until ${webhook.previous_secret_expires_at}`],
    ['Created', webhook.created_at],
    ['Activated', webhook.activated_at],
    ['Last attempt', webhook.last_delivery_at],
    ['Slow since', webhook.slow_since],
    ['Partitions', String(webhook.delivery_partitions)],
  ];
  return [
    `Endpoint ${webhook.id}: ${webhook.status}`,
    ...facts.flatMap(([name, value]) =>
      value === null ? [] : [`${`${name}:`.padEnd(14)}${plainText(value)}`],
    ),
  ];
}
