import * as z from 'zod/mini';
import { limits } from '#shared/contract/limits.ts';
import { isLabel } from '#shared/contract/text-rules.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import { type Endpoint, overlapExpiresAt } from '#shared/domain/endpoint.ts';

/** UTF-8 and URLs cannot carry lone surrogates; both would silently replace them. */
const isWellFormed = z.refine<string>((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** Body of a registration. parseEndpointUrl() checks the URL in its parsed form. */
export const registerWebhookBody = z.object({
  url: z.string().check(isWellFormed, z.minLength(1)),
  description: z._default(z.string().check(isLabel(), z.maxLength(limits.descriptionLength)), ''),
});

/** The record of an endpoint in every response. */
export const webhookRecord = z.object({
  id: z.string(),
  url: z.string(),
  status: z.enum(['active', 'failed', 'deleted']),
  description: z.string(),
  secret_prefix: z.string(),
  previous_secret_expires_at: z.nullable(z.string()),
  created_at: z.string(),
  activated_at: z.nullable(z.string()),
  last_delivery_at: z.nullable(z.string()),
  failing_since: z.nullable(z.string()),
});

export type WebhookRecord = z.infer<typeof webhookRecord>;

/** @param now epoch milliseconds; decides whether a rotation overlap is open */
export function presentWebhook(endpoint: Endpoint, now: number): WebhookRecord {
  return {
    id: endpoint.id,
    url: endpoint.url,
    status: endpoint.status,
    description: endpoint.description,
    secret_prefix: endpoint.secretPrefix,
    previous_secret_expires_at: timestampOrNull(overlapExpiresAt(endpoint, now)),
    created_at: timestamp(endpoint.createdAt),
    activated_at: timestampOrNull(endpoint.activatedAt),
    last_delivery_at: timestampOrNull(endpoint.lastDeliveryAt),
    failing_since: timestampOrNull(endpoint.failingSince),
  };
}
